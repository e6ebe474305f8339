/** Rules that make static hosts answer as a service would: types, headers, and the form of a record to return. */
import { unescaped } from "../../base/plain-text.js";
import type { Publication } from "../../http/entity/publication.js";
import { FORMATS } from "../../rdf/formats.js";

export const HTML = "text/html";
export const TURTLE = FORMATS.find(({ name }) => name === "ttl")!.mediaType;

/** A text as a part of a regular expression. */
export function inPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The forms of records in files of their own, with the shorter suffixes first, because hosts apply the last rule that matches. */
function formsInFiles({ representations }: Publication) {
  return representations
    .flatMap(({ suffix, ...form }) => (suffix === null || suffix === ".html" ? [] : [{ suffix, ...form }]))
    .sort((left, right) => left.suffix.length - right.suffix.length);
}

/** The files for all hosts, by name. */
export function hostFiles(publication: Publication): readonly (readonly [file: string, content: string])[] {
  const { host, pathname } = new URL(`${publication.addresses.base}/`);
  const isOwnDomain =
    pathname === "/" && /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}$/i.test(host) && !/\.github\.io$/i.test(host);
  return [
    [".htaccess", apache(publication, pathname)],
    ["_headers", headersFile(publication, pathname)],
    ["_host/nginx-map.conf", nginxMap(publication)],
    // nginx compares addresses decoded.
    ["_host/nginx-site.conf", nginx(publication, unescaped(pathname))],
    ["_host/w3id.htaccess", w3id(publication)],
    // GitHub Pages leaves out files beginning with a dot or an underscore unless this file exists.
    [".nojekyll", ""],
    ...(isOwnDomain ? [["CNAME", `${host}\n`] as const] : []),
  ];
}

/** The default suffix, and the choices by `Accept`: a regular expression and a suffix each. Hosts cannot compare weights, so the first form that is listed is chosen. */
function formsOf({ representations }: Publication) {
  const [first, ...others] = representations.filter((each) => each.suffix !== null && each.relation !== "linkset");
  const types = new Set([first!, ...others].map(({ mediaType }) => inPattern(mediaType)));
  const choices = others.map(({ mediaType, profiles: [profile], suffix }) => {
    const named = mediaType === first!.mediaType ? `[^,]*${inPattern(new URL(profile!).host)}` : "";
    const accept = `^(?:(?!${[...types].join("|")}).)*${inPattern(mediaType)}${named}`;
    return [accept, mediaType === HTML ? "/index.html" : suffix!] as const;
  });
  return { byDefault: first!.suffix!, choices };
}

/** Allows only scripts and styles of the site, and WebAssembly for its search; pictures and map tiles may come from anywhere. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self' 'wasm-unsafe-eval'; font-src 'self'; img-src * data: blob:; connect-src *; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

function apache(publication: Publication, path: string): string {
  const { base } = publication.addresses;
  const { byDefault, choices } = formsOf(publication);
  const linkset = publication.representations.find(({ relation }) => relation === "linkset")!;
  const types = formsInFiles(publication).map(
    ({ suffix, contentType }) => `<FilesMatch "${inPattern(suffix)}$">\n  ForceType '${contentType}'\n</FilesMatch>`,
  );
  // An IRI may end in a slash, but the name of its file does not.
  const rewritten = (suffix: string) => `RewriteCond %{REQUEST_FILENAME} ^(.+?)/?$
RewriteCond %1${suffix} -f
RewriteRule ^(.+?)/?$ $1${suffix} [B=?%#,L,E=RECORD:$1]`;
  const rules = choices.map(([accept, suffix]) => `RewriteCond %{HTTP_ACCEPT} "${accept}" [NC]\n${rewritten(suffix)}`);
  return `# Makes Apache answer as the service would. It needs AllowOverride All, mod_rewrite, mod_headers and mod_mime.
DirectoryIndex index.html
ErrorDocument 404 ${path}404.html
DirectorySlash Off
Options -MultiViews
AddType application/json .json
AddType application/xml .xml
AddType application/gzip .gz
${types.join("\n")}
<Files "void">
  ForceType ${TURTLE}
</Files>
<IfModule mod_headers.c>
  Header set Access-Control-Allow-Origin "*"
  Header set Access-Control-Allow-Headers "*"
  Header set Access-Control-Expose-Headers "*"
  Header set X-Content-Type-Options "nosniff"
  Header merge Vary "Accept"
  <FilesMatch "\\.html$">
    Header set Content-Security-Policy "${POLICY}"
  </FilesMatch>
  # Apache decodes addresses, and a header has them encoded.
  Header set Link "expr=<${base}/%{escape:%{reqenv:REDIRECT_RECORD}}${linkset.suffix}>; rel=\\"linkset\\"; type=\\"${linkset.mediaType}\\"" env=REDIRECT_RECORD
  Header merge Link "expr=<${base}/%{reqenv:REDIRECT_IRI}>; rel=\\"canonical\\"" "expr=-n reqenv('REDIRECT_RECORD') && -n reqenv('REDIRECT_IRI')"
</IfModule>
<IfModule mod_rewrite.c>
RewriteEngine On
# The address of this folder without its final slash.
RewriteOptions AllowNoSlash
RewriteCond %{REQUEST_URI} [^/]$
RewriteCond %{REQUEST_FILENAME}/.htaccess -f
RewriteRule ^ %{REQUEST_URI}/ [R=301,L]
# Only the request has an IRI as it is: encoded, an & is another one.
RewriteCond %{THE_REQUEST} "^\\S+ (?:https?://[^/]+)?${inPattern(path)}([^?\\s]+)"
RewriteRule ^ - [E=IRI:%1]
RewriteRule ^(activity(?:/page/[0-9]+)?)/?$ $1.json [L]
RewriteRule ^(ldes(?:/page/[0-9]+)?)/?$ $1.ttl [L]
RewriteRule ^context$ context.jsonld [L]
RewriteCond %{REQUEST_FILENAME} -f
RewriteRule ^ - [L]
${rules.join("\n")}
${rewritten(byDefault)}
RewriteCond %{REQUEST_FILENAME}/index.html -f
RewriteRule ^(.+?)/?$ $1/index.html [B=?%#,L]
</IfModule>
`;
}

/** The rules for Netlify and Cloudflare Pages, which cannot choose by `Accept`. */
function headersFile(publication: Publication, path: string): string {
  const types = new Map<string, string>();
  for (const { suffix, mediaType, contentType } of formsInFiles(publication)) {
    // Cloudflare joins the values of all rules that match. So `.schema.jsonld` shares the rule of `.jsonld`, which has no profile then.
    const shared = [...types.keys()].find((each) => suffix.endsWith(each));
    types.set(shared ?? suffix, shared === undefined ? contentType : mediaType);
  }
  const rules = [...types].map(([suffix, type]) => `${path}*${suffix}\n  Content-Type: ${type}`);
  return `${path}*
  Access-Control-Allow-Origin: *
  Access-Control-Allow-Headers: *
  X-Content-Type-Options: nosniff
  Content-Security-Policy: ${POLICY}
${rules.join("\n")}
${path}.well-known/void
  Content-Type: ${TURTLE}
`;
}

/** The media types of a site's other files; in nginx, a list of types replaces the default list. */
const OTHER_TYPES = `${HTML} html; text/css css; text/javascript js; text/plain txt; application/json json; application/xml xml;
    image/svg+xml svg ico; image/png png; image/jpeg jpg jpeg; image/gif gif; image/webp webp; image/avif avif; application/gzip gz;`;

/** The maps of nginx, which must be outside its server block. */
function nginxMap(publication: Publication): string {
  const { byDefault, choices } = formsOf(publication);
  return `# Include this beside the server block that has nginx-site.conf.
map $http_accept $vitrine_form {
  default ${byDefault};
${choices.map(([accept, suffix]) => `  "~*${accept}" ${suffix};`).join("\n")}
}
map $sent_http_content_type $vitrine_policy {
  ~^${HTML} "${POLICY}";
}
`;
}

function nginx(publication: Publication, path: string): string {
  const types = new Map(
    formsInFiles(publication).map(({ suffix, mediaType }) => [suffix.slice(suffix.lastIndexOf(".") + 1), mediaType]),
  );
  types.delete("json");
  const own = [...types].map(([extension, type]) => `${type} ${extension};`);
  return `# Include this within a server block whose root is the folder that contains ${path}, with nginx-map.conf beside the block.
location "${path}" {
  types {
    ${OTHER_TYPES}
    ${own.join(" ")}
  }
  add_header Access-Control-Allow-Origin * always;
  add_header Access-Control-Allow-Headers *;
  add_header X-Content-Type-Options nosniff always;
  add_header Vary Accept always;
  add_header Content-Security-Policy $vitrine_policy always;
  if ($request_method = OPTIONS) { return 204; }
  rewrite "^${inPattern(path)}(activity(?:/page/[0-9]+)?)$" "${path}$1.json" last;
  rewrite "^${inPattern(path)}(ldes(?:/page/[0-9]+)?)$" "${path}$1.ttl" last;
  rewrite "^${inPattern(path)}context$" "${path}context.jsonld" last;
  rewrite "^(${inPattern(path)}.+)/$" $1 last;
  error_page 404 "${path}404.html";
  try_files $uri $uri$vitrine_form $uri/index.html =404;
}
location = "${path}.well-known/void" {
  types {}
  default_type ${TURTLE};
  add_header Access-Control-Allow-Origin *;
}
`;
}

/** The rules for w3id.org, where the addresses of records may be redirected to the host. */
function w3id({ addresses: { base } }: Publication): string {
  // Apache encodes where it redirects to. There, $ and % begin references.
  const written = unescaped(base).replace(/[$%]/g, "\\$&");
  return `# For a folder of github.com/perma-id/w3id.org: redirects all requests below it to this site.
Options +FollowSymLinks
RewriteEngine On
RewriteRule ^(.*)$ "${written}/$1" [R=303,L,QSA]
`;
}
