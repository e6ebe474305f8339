/** The representations for people and for search engines: the HTML page and schema.org. */
import type { StoredRecord } from "../../store/record.js";
import { datasetIri } from "../dataset/description.js";
import { fromStore } from "../message/problems/problems.js";
import { descriptionOf } from "../pages/description.js";
import { type Around, entityParts } from "../pages/entity-page.js";
import { labelsOf } from "../pages/entries.js";
import { gather, gatherShown } from "../pages/gather.js";
import { withSizes } from "../pages/image-files.js";
import { type Html, html, join, jsonLdScript, NOTHING, text } from "../pages/markup.js";
import { type Picture, picturesOf, withPictures } from "../pages/pictures.js";
import type { Href } from "../pages/renderer.js";
import type { Site } from "../pages/site.js";
import { onceForAnswer, type RenderContext, type RenderSettings, type RepresentationMaker } from "./representation.js";
import { type Shown, schemaOrgOf } from "./schema-org.js";
import { SCHEMA } from "./schema-org-mapping.js";

export const pageRepresentation: RepresentationMaker = (settings) => {
  const { site: shared, license = "", linked } = settings;
  const around = onceForAnswer(async (record, context) => {
    const gathered = await gather(record, context, shared.for(context).reader);
    const shown = withPictures(picturesOf(descriptionOf(record.graph)), gathered.pictured);
    const pictures = await withSizes(shown, settings.images, context);
    return { ...gathered, pictures };
  });
  return {
    version: 21,
    mediaType: "text/html",
    relation: "alternate",
    contentType: "text/html; charset=utf-8",
    profiles: [],
    suffix: ".html",
    dependsOn: {
      languages: true,
      settings: shared.state + license,
      state: async (record, context) => {
        const { digest, pictures } = await around(record, context);
        return JSON.stringify([digest, record.meta.modified, pictures.images.map(({ size }) => size)]);
      },
    },
    write: async (record, context) => {
      const { graph, meta } = record;
      const { addresses, taken } = context;
      const site = shared.for(context);
      const forms = linked(taken).flatMap(({ label, suffix }) =>
        label === undefined ? [] : [{ name: label, suffix }],
      );
      const gathered = await around(record, context);
      const url = addresses.url(graph.iri);
      const parts = entityParts(graph, meta.endpoint, {
        ...gathered,
        href: hrefs(context, site, gathered.here),
        site,
        forms,
        modified: meta.modified,
      });
      const schema = schemaText(record, context, settings, gathered);
      const head = headHtml(site, url, { ...parts, image: gathered.pictures.images[0] }, schema, forms);
      const content = site.theme
        .entityTemplate(meta.endpoint ?? "")
        .fill({ ...parts.parts, path: text(site.path), site: text(site.title) });
      return site.page({ title: parts.title, address: url, head, hosts: parts.hosts }, content);
    },
  };
};

export const schemaRepresentation: RepresentationMaker = (settings) => {
  const written = onceForAnswer(async (record, context) => {
    const description = descriptionOf(record.graph);
    const labels = await fromStore(() => labelsOf(context.store, description, description.named()));
    return `${schemaText(record, context, settings, { ...(await gatherShown(record, context)), labels })}\n`;
  });
  return {
    version: 10,
    mediaType: "application/ld+json",
    contentType: `application/ld+json;profile="${SCHEMA}"`,
    profiles: [SCHEMA],
    suffix: ".schema.jsonld",
    label: "schema.org",
    dependsOn: { settings: settings.license ?? "", state: written },
    write: written,
  };
};

function schemaText(record: StoredRecord, { addresses }: RenderContext, settings: RenderSettings, shown: Shown) {
  const { model, license } = settings;
  const own = { dataset: datasetIri(addresses.base), vocabBase: model.vocabBase, license };
  return JSON.stringify(schemaOrgOf(record, own, addresses.url(record.graph.iri), shown));
}

/** Makes the links of a page: to a record's page if the record is here, else to the IRI itself. IRIs that browsers cannot open have none. */
function hrefs({ addresses }: RenderContext, site: Site, here: ReadonlySet<string>): Href {
  return (iri) => {
    const isHere = addresses.has(iri) || here.has(iri);
    if (isHere) return { url: site.entityLink(iri), isHere };
    return /^(?:https?|mailto|tel):/i.test(iri) ? { url: iri, isHere } : undefined;
  };
}

/** The elements of a page's head for programs: Open Graph for previews, links to the other representations, schema.org. */
function headHtml(
  { title: siteTitle }: Site,
  url: string,
  { title, summary, image }: ReturnType<typeof entityParts> & { readonly image: Picture | undefined },
  schema: string,
  forms: Around["forms"],
): Html {
  const meta = (property: string, content: string): Html =>
    html`<meta property="${text(property)}" content="${text(content)}">\n`;
  const address = text(url);
  return join([
    summary === "" ? NOTHING : html`<meta name="description" content="${text(summary)}">\n`,
    meta("og:type", "website"),
    meta("og:title", title),
    meta("og:url", url),
    meta("og:site_name", siteTitle),
    summary === "" ? NOTHING : meta("og:description", summary),
    image === undefined ? NOTHING : meta("og:image", image.source),
    ...forms.map(
      ({ name, suffix }) => html`<link rel="alternate" title="${text(name)}" href="${address}${text(suffix)}">\n`,
    ),
    jsonLdScript(schema),
  ]);
}
