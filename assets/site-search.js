/** The search page of a site of files: asks the index that pagefind made, and shows what is found as other lists are shown. */
const words = JSON.parse(document.querySelector('script[src$="/assets/site-search.js"]').dataset.words);
const asked = new URLSearchParams(location.search);
const text = asked.get("text")?.trim() ?? "";
const chosen = [...asked].filter(([name]) => name in words.facets);

/** Records that are shown at once, and values of a facet: those that are seen, and with those that unfold. */
const SHOWN = 24;
const SEEN_VALUES = 6;
const MAX_VALUES = 12;
/** The most words of which some may be left out. */
const MAX_WORDS = 8;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const number = (value) => new Intl.NumberFormat(words.locale, { numberingSystem: "latn" }).format(value);

/** The address of the same search, narrowed to these values. */
function address(narrowed) {
  const parameters = new URLSearchParams([...(text === "" ? [] : [["text", text]]), ...narrowed]);
  return `?${parameters}`;
}

function headed(found) {
  const quoted = text === "" ? "" : fill(words.quoted, { text });
  const what = quoted || chosen.map(([, value]) => value).join(" · ") || words.all;
  const title = found > 0 ? what : fill(words.nothing, { asked: what });
  document.title = `${title} – ${document.title.split(" – ").slice(1).join(" – ")}`;
  document.querySelector(".list-head h1").textContent = title;
  const form = words.count[new Intl.PluralRules(words.locale).select(found)] ?? words.count.other;
  document.querySelector(".list-head [role=status]").textContent = fill(form, { count: number(found) });
}

/** What is chosen, each with a way to leave it out. */
function chips() {
  const items = chosen.map(([facet, value], at) => {
    const label = fill(words.remove, { facet: words.facets[facet], value });
    const cross = element("a", { href: address(chosen.toSpliced(at, 1)), "aria-label": label }, "×");
    return element("li", {}, element("span", { class: "aside" }, words.facets[facet]), ` ${value} `, cross);
  });
  return items.length === 0 ? [] : [element("ul", { class: "chosen" }, ...items)];
}

/** The first year of a period by its label. The years of one before Christ descend: "100 to 1 BC". */
function yearOf(label) {
  const [first, last = first] = (label.match(/\d+/g) ?? []).map(Number);
  return first > last ? -first : first;
}

/** The values of a facet that most records have; periods in the order of time. */
function mostOf(facet, values) {
  const most = values.sort(([, left], [, right]) => right - left).slice(0, MAX_VALUES);
  const isPeriod = facet === "century" || facet === "decade";
  return isPeriod ? most.sort(([left], [right]) => yearOf(left) - yearOf(right)) : most;
}

/** Facets with a choice, after a link that skips them: what all have, or none, narrows nothing. */
function narrowing(filters, found) {
  const groups = Object.entries(words.facets).flatMap(([facet, label]) => {
    const narrower = Object.entries(filters[facet] ?? {}).filter(
      ([value, count]) => count > 0 && count < found && !isChosen(facet, value),
    );
    const values = mostOf(facet, narrower);
    if (values.length < 2) return [];
    const items = values.map(([value, count]) => {
      const link = element("a", { rel: "nofollow", href: address([...chosen, [facet, value]]) }, value);
      return element("li", {}, link, " ", element("span", { class: "count" }, number(count)));
    });
    const more = items.splice(SEEN_VALUES);
    const rest = element("details", {}, element("summary", {}, words.more), element("ul", {}, ...more));
    return [element("h2", {}, label), element("ul", {}, ...items), ...(more.length > 0 ? [rest] : [])];
  });
  if (groups.length === 0) return [];
  const skip = element("a", { class: "skip", href: "#results" }, words.skip);
  return [skip, element("details", { class: "facets" }, element("summary", {}, words.narrow), ...groups)];
}

function isChosen(facet, value) {
  return chosen.some(([name, each]) => name === facet && each === value);
}

function card({ url, meta: { title, by, about, image, is } }) {
  const size = { alt: "", width: 320, height: 240, loading: "lazy", decoding: "async" };
  const shown = image === undefined ? element("span", { class: "aside" }, is) : element("img", { src: image, ...size });
  const lines = [by, about].filter(Boolean).map((line) => element("span", { class: "aside" }, line));
  return element(
    "li",
    {},
    element("a", { href: url }, element("span", { class: "frame" }, shown), element("bdi", {}, title)),
    ...lines,
  );
}

/** Cards of what is found, and a button for more of them. */
function cards(results) {
  const list = element("ul", { class: "cards" });
  const more = element("button", { type: "button" }, words.more);
  const show = async () => {
    const from = list.children.length;
    const data = await Promise.all(results.slice(from, from + SHOWN).map((result) => result.data()));
    list.append(...data.map(card));
    more.hidden = list.children.length >= results.length;
    if (from > 0) list.children[from].querySelector("a").focus();
  };
  more.addEventListener("click", show);
  return { parts: [list, element("p", { class: "pages" }, more)], shown: show() };
}

/**
 * What some of the words find, where no record has all: the rarest words first, and each further one that leaves something. None of a
 * text with a number, which is looked for as it is.
 */
async function foundBySome(search) {
  const given = text.split(/\s+/);
  if (given.length < 2 || given.length > MAX_WORDS || /\d/.test(text)) return undefined;
  const counted = await Promise.all(given.map(async (word) => ({ word, count: (await search(word)).results.length })));
  const kept = [];
  let found;
  for (const { word, count } of counted.sort((left, right) => left.count - right.count)) {
    const next = count > 0 ? await search([...kept, word].join(" ")) : undefined;
    if (!next?.results.length) continue;
    kept.push(word);
    found = next;
  }
  return found && { found, meant: given.filter((word) => kept.includes(word)).join(" ") };
}

async function seek() {
  const pagefind = await import(new URL("../pagefind/pagefind.js", import.meta.url));
  // What is counted has to be loaded.
  await pagefind.filters();
  const filters = {};
  for (const [facet, value] of chosen) filters[facet] = [...(filters[facet] ?? []), value];
  const search = (query) =>
    pagefind.search(query || null, { filters, ...(query === "" && { sort: { title: "asc" } }) });
  const whole = await search(text);
  const { found, meant } = (whole.results.length === 0 && (await foundBySome(search))) || { found: whole };
  const total = found.results.length;
  headed(total);
  if (total === 0) return results.replaceChildren(...chips(), ways);
  const { parts, shown } = cards(found.results);
  await shown;
  const suggestion =
    meant === undefined ? [] : [element("p", {}, fill(words.meant, { meant, asked: fill(words.quoted, { text }) }))];
  results.replaceChildren(...suggestion, ...chips(), ...parts);
  const facets = narrowing(found.filters, total);
  results.parentElement.classList.toggle("narrowed", facets.length > 0);
  results.before(...facets);
}

const results = document.querySelector(".results");
const ways = results.querySelector(".ways");
for (const field of document.querySelectorAll(".find input")) field.value = text;
try {
  await seek();
} catch (error) {
  // The ways on are all that is left.
  console.warn(error.message);
  results.replaceChildren(ways);
}
document.body.dataset.ready = "";
