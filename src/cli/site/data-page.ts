/** The page of a site that says what its files are, and how to ask them without a service. */
import { dumpsIn, dumpUrl } from "../../harvest/dumps/manifest.js";
import { html, join, text } from "../../http/pages/markup.js";
import { pageContent } from "../../http/routes/entities/pages.js";
import type { RouteContext } from "../../http/routes/route.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";

/** The page stands where a service describes its interface. */
export async function dataPage({ site, representations, dumps, base }: RouteContext) {
  const forms = representations.flatMap(({ label, suffix, contentType }) =>
    label === undefined || suffix === null
      ? []
      : [html`<div><dt>${text(label)}</dt><dd><code>${text(suffix)}</code> ${text(contentType)}</dd></div>\n`],
  );
  const [dump] = dumps === undefined ? [] : await dumpsIn(dumps);
  const file = dump?.files.find(({ of, format }) => of === "all" && format === "nt");
  const url = dump && file ? dumpUrl(base, dump, file.name) : undefined;
  const query = `PREFIX crm: <${PREFIXES.crm}> SELECT ?class (COUNT(*) AS ?count) { ?s a ?class } GROUP BY ?class`;
  const asked =
    url === undefined
      ? html`<p>There is no dump yet.</p>\n`
      : html`<p>There is no SPARQL endpoint here. A query is answered from a dump, on your own machine: with <a href="https://comunica.dev/">Comunica</a>, on Node.js,</p>
<pre><code>curl -L ${text(url)} | gunzip &gt; records.nt
npx -p @comunica/query-sparql-file comunica-sparql-file records.nt "${text(query)}"</code></pre>
<p>or, of a small collection, in the browser, with <a href="https://query.comunica.dev/">query.comunica.dev</a> and the address of a record as its source.</p>\n`;
  const content = html`<article class="plain"><h1>Data</h1>
<p>The collection is published as files. What stands after the address of a record chooses its form:</p>
<dl class="rows">
${join(forms)}</dl>
<ul>
<li><a href="${text(`${site.path}/dumps/`)}">Complete files</a> of all records</li>
<li><a href="${text(`${site.path}/activity`)}">The change stream</a> (IIIF Change Discovery), and <a href="${text(`${site.path}/ldes`)}">as a Linked Data Event Stream</a></li>
<li><a href="${text(`${site.path}/.well-known/void`)}">The description</a> of the collection as a dataset (VoID, DCAT), in Turtle</li>
<li><a href="${text(`${site.path}/sitemap.xml`)}">The sitemap</a></li>
</ul>
<h2>Queries</h2>
${asked}</article>`;
  return pageContent(site.page({ title: "Data", address: `${site.path}/openapi.html` }, content));
}
