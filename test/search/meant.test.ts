import { expect, it } from "vitest";
import { meantText } from "../../src/search/years.js";
import { SearchedStore } from "./searched-store.js";

const searched = new SearchedStore();
const publish = searched.publish.bind(searched);

/** The IRIs of the hits, without their namespace, and what was searched for instead. */
async function searchedFor(text: string, query = {}): Promise<(string | undefined)[]> {
  const { items, meant } = await searched.search.find({ text, ...query }, { limit: 5 });
  return [...items.map(({ iri }) => iri.slice(4)), meant && meantText(meant)];
}

it("takes years in a text for a period, and shows them", async () => {
  await publish({
    "urn:photograph": { label: "Photograph of a bridge", years: ["1925", "1925"] },
    "urn:later": { label: "Photograph of a mill", years: ["1931", "1931"] },
    "urn:frame": { label: "Photograph in a frame", years: ["1915", "1915"] },
    "urn:named": { label: "Photograph album of the 1920s" },
    "urn:numbered": { label: "Photograph", identifiers: ["1924.1"] },
    "urn:vase": { label: "Vase", years: ["-0480", "-0470"] },
    "urn:lady": { label: "Portrait of a lady", years: ["1530", "1540"] },
    "urn:next": { label: "Portrait of a man", years: ["1600", "1699"] },
  });
  // A decade is what is called so, and what is of one of its years.
  expect(await searchedFor("photograph 1920s")).toEqual(["named", "photograph", undefined]);
  expect(await searchedFor("photograph 1924-1926")).toEqual(["photograph", "photograph 1924–1926"]);
  expect(await searchedFor("vase, 5th century BC")).toEqual(["vase", "vase 500–401 BC"]);
  expect(await searchedFor("portrait 16th century")).toEqual(["lady", "portrait 1501–1600"]);
  expect(await searchedFor("16th century")).toEqual(["lady", "1501–1600"]);
  for (const text of ["B.C. 475", "BC 475"]) expect(await searchedFor(text)).toEqual(["vase", "475 BC"]);
  for (const text of ["15.5.1925", "1 May 1925"]) expect(await searchedFor(text)).toEqual(["photograph", "1925"]);
  expect(await searchedFor("16th-century portrait")).toEqual(["lady", "portrait 1501–1600"]);
  for (const text of ["1924-1926", "1924 – 1926"]) expect(await searchedFor(text)).toEqual(["photograph", "1924–1926"]);
  for (const text of ["before 1550", "no later than 1550"])
    expect(await searchedFor(text)).toEqual(["lady", "vase", "1550 or earlier"]);
  // No record has the preposition beside these years.
  for (const text of ["in 1925", "in the year 1925"]) expect(await searchedFor(text)).toEqual(["photograph", "1925"]);
  for (const text of ["photograph in 1925", "in 1925, a photograph"])
    expect(await searchedFor(text)).toEqual(["photograph", "photograph 1925"]);
  expect(await searchedFor("photograph after 1930")).toEqual(["later", "photograph 1930 or later"]);
  expect(await searchedFor("1353–1336 BC")).toEqual([undefined]);
  expect(await searchedFor("1820s")).toEqual([undefined]);
  expect(await searchedFor("1820-1830")).toEqual([undefined]);
  expect(await searchedFor("ca 1750-1760 vase")).toEqual(["vase", "vase"]);
  // What is of the year is still found by the same text.
  expect(await searchedFor("Man 1650")).toEqual(["next", undefined]);
  // A facet narrows the years.
  expect(await searchedFor("portrait 16th century", { begins: 1535, ends: 1536 })).toEqual([
    "lady",
    "portrait 1501–1600",
  ]);
  expect(await searchedFor("photograph 1924-1926", { begins: 1900, ends: 1999 })).toEqual([
    "photograph",
    "photograph 1924–1926",
  ]);
  expect(await searchedFor("photograph after 1930", { ends: 1931 })).toEqual(["later", "photograph 1930 or later"]);
  expect(await searchedFor("portrait 16th century", { begins: 1601 })).toEqual(["next", "portrait"]);
  expect(await searchedFor("portrait 16th century", { hasAllWords: true })).toEqual([undefined]);
  const { values } = await searched.search.facets({ text: "photograph 1924-1926" }, ["decade"], 5);
  expect(values).toMatchObject([{ value: "1920", records: 1 }]);
});

it("leaves the last year of a century AD out of it, but not of other periods", async () => {
  await publish({
    "urn:print": { label: "Print", years: ["1800", "1800"] },
    "urn:bowl": { label: "Bowl", years: ["-0400", "-0400"] },
    "urn:lamp": { label: "Lamp", years: ["0200", "0200"] },
  });
  for (const text of ["18th century", "1st century BC to 2nd century"])
    expect(await searchedFor(text)).toEqual([undefined]);
  expect(await searchedFor("print 1700-1800")).toEqual(["print", "print 1700–1800"]);
  expect(await searchedFor("print until 1800")).toEqual(["print", "print 1800 or earlier"]);
  expect(await searchedFor("bowl, 5th century BC")).toEqual(["bowl", "bowl 500–401 BC"]);
});

it("finds what has the words of a period in its names and references, then what is of this period, then what has them in a text", async () => {
  await publish({
    "urn:text": { label: "Landscape", statements: ["A copy of the 19th century"], years: ["1950", "1950"] },
    "urn:hill": { label: "Landscape with a hill", years: ["1850", "1850"] },
    "urn:long": { label: "Landscape with a lake", years: ["1790", "1910"] },
    "urn:lady": { label: "Lady", years: ["1850", "1850"] },
    "urn:number": { label: "Box", identifiers: ["Landscape 1850-60"] },
  });
  expect(await searchedFor("19th century landscape")).toEqual(["hill", "long", "text", undefined]);
  expect(await searchedFor("landscape c. 1850")).toEqual(["hill", "long", "landscape 1850"]);
  expect(await searchedFor("19th century")).toEqual(["lady", "hill", "long", "text", undefined]);
  expect(await searchedFor("19th century", { sort: "-date" })).toEqual(["text", "lady", "hill", "long", undefined]);
  expect(await searchedFor("19th century landscape", { begins: 1900, ends: 1909 })).toEqual([
    "long",
    "landscape 1801–1900",
  ]);
  // A whole number is no period.
  expect(await searchedFor("Landscape 1850-60")).toEqual(["number", undefined]);
  const query = { text: "19th century landscape" };
  const first = await searched.search.find(query, { limit: 1 });
  const rest = await searched.search.find(query, { after: first.next!, limit: 5 });
  expect([first.total, rest.items.map(({ iri }) => iri)]).toEqual([3, ["urn:long", "urn:text"]]);
  const { items } = await searched.search.find({ text: "19th century" }, { limit: 2, hasReasons: true });
  expect(items[0]!.reasons).toEqual([{ field: "dates", words: ["19th century"] }]);
  const { values } = await searched.search.facets(query, ["decade"], 20);
  expect(values.find(({ value }) => value === "1900")).toMatchObject({ records: 1 });
});

it("takes words for beginnings of words, and plurals for their singular, where nothing else is found", async () => {
  await publish({
    "urn:maps": { label: "Maps of Paris" },
    "urn:print": { label: "Woodblock print", names: ["Cat"] },
    "urn:number": { label: "Box", identifiers: ["19855"] },
  });
  expect(await searchedFor("map of paris")).toEqual(["maps", "map… of paris…"]);
  expect(await searchedFor("prints woodblock cats")).toEqual(["print", "prints… woodblock… cats…"]);
  expect(await searchedFor("box 19.85")).toEqual([undefined]);
  expect(await searchedFor("map of paris", { hasAllWords: true })).toEqual([undefined]);
});

it("leaves out the words that no record has beside the others: those that say least", async () => {
  const mills = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`urn:${at}`, { label: `View of the mill ${at}` }]),
  );
  await publish({
    ...mills,
    "urn:lady": { label: "Portrait of a lady", years: ["1530", "1540"] },
    "urn:bridge": { label: "Landscape with a bridge", identifiers: ["1"] },
    "urn:maps": { label: "Maps of Paris" },
    "urn:etching": { label: "Etching", maker: "urn:w Whistler" },
    "urn:museum": { label: "Musée" },
    "urn:orsay": { label: "Musée d'Orsay" },
  });
  expect(await searchedFor("portrait of a lady with ermine")).toEqual(["lady", "portrait lady"]);
  expect(await searchedFor("impressionist landscape bridge")).toEqual(["bridge", "landscape bridge"]);
  expect(await searchedFor("wistler etching view of the")).toEqual(["etching", "whistler etching"]);
  expect(await searchedFor("portrait lady ermine 16th century")).toEqual(["lady", "portrait lady 1501–1600"]);
  expect(await searchedFor("portrait lady ermine 1890")).toEqual(["lady", "portrait lady"]);
  expect(await searchedFor("map paris zzzz")).toEqual(["maps", "map paris"]);
  // One record has the letter, too, but that says nothing of the others.
  expect(await searchedFor("musee d zzzz")).toEqual(["museum", "orsay", "musee"]);
  // A word that most records have says too little; a number is looked for as it is.
  expect(await searchedFor("the qwertz")).toEqual([undefined]);
  expect(await searchedFor("mill 31b")).toEqual([undefined]);
  const named = await searched.search.find({ name: "landscape whistler", identifier: "1" }, { limit: 5 });
  expect([named.items.map(({ iri }) => iri), named.meant]).toEqual([["urn:bridge"], { text: "landscape" }]);
  expect(await searchedFor("bridge qwertz", { endpoint: "person" })).toEqual([undefined]);
  expect(await searchedFor("bridge qwertz", { isAsWritten: true })).toEqual([undefined]);
  expect(await searchedFor("bridge qwertz", { hasAllWords: true })).toEqual([undefined]);
});

it("takes a number with other separators for the number of a record, and leaves out the words before it", async () => {
  await publish({
    "urn:milkmaid": { label: "Milkmaid", identifiers: ["SK-A-2344"] },
    "urn:copy": { label: "Copy", identifiers: ["NG1314"] },
    "urn:part": { label: "Part", identifiers: ["BK-NM-1010A"] },
    "urn:hay": { label: "Haystack #5" },
  });
  for (const text of [
    "SKA2344",
    "sk a2344",
    "SKA 2344",
    "inventory number SK-A-2344",
    "inv. nr. SKA2344",
    "Inv.-Nr. SKA2344",
    "acc# SKA2344",
    "Object No.: SKA2344",
  ])
    expect(await searchedFor(text)).toEqual(["milkmaid", text.startsWith("inventory") ? "SK-A-2344" : "sk a 2344"]);
  for (const text of ["NG 1314", "N.G. 1314"]) expect(await searchedFor(text)).toEqual(["copy", "ng1314"]);
  expect(await searchedFor("BK-NM-1010-A")).toEqual(["part", "bk nm 1010a"]);
  expect(await searchedFor("SKA234 4")).toEqual([undefined]);
  // Long texts take time in proportion to their length.
  for (const text of ["№", "no ", "no   "]) expect(await searchedFor(text.repeat(3_000))).toEqual([undefined]);
  for (const text of ["haystack no. 5", "haystack № 5"]) expect((await searchedFor(text))[0]).toBe("hay");
});

it("finds a number among other words, also where it is only the end of the IRI", async () => {
  await publish({
    "urn:x/1954.708": { label: "Italian Landscape" },
    "urn:x/1954.708.b": { label: "Frame" },
    "urn:x/1954": { label: "Sketch" },
    "urn:milkmaid": { label: "Milkmaid", identifiers: ["SK-A-2344"] },
    "urn:nguyen": { label: "Nguyen" },
  });
  for (const text of ["1954.708 Landscape from Italy", "CMA 1954.708", "Landscape (no. 1954.708), c. 1640"])
    expect(await searchedFor(text)).toEqual(["x/1954.708", "1954.708"]);
  expect(await searchedFor("CMA 1954.708.b")).toEqual(["x/1954.708.b", "1954.708.b"]);
  for (const text of ["1954.708b", "Frame, 1954.708b"])
    expect(await searchedFor(text)).toEqual(["x/1954.708.b", "1954 708 b"]);
  expect(await searchedFor("Kitchen maid, SK A 2344, Amsterdam")).toEqual(["milkmaid", "SK A 2344"]);
  expect(await searchedFor("SKA2344, kitchen maid")).toEqual(["milkmaid", "sk a 2344"]);
  for (const text of ["Castle 1954", "NG 1314"]) expect(await searchedFor(text)).toEqual([undefined]);
  expect(await searchedFor("CMA 1954.708", { hasAllWords: true })).toEqual([undefined]);
});

it("finds what a label on a wall describes, in spite of its measures and of other words", async () => {
  await publish({
    "urn:pearl": { label: "Girl with a Pearl Earring", maker: "urn:v Johannes Vermeer", years: ["1665", "1667"] },
    "urn:39": { label: "Number 39" },
    ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`urn:m${at}`, { label: `View of the mill ${at}` }])),
  });
  const label = "Johannes Vermeer, Girl with a Pearl Earring, c. 1665, oil on canvas, 44.5 x 39 cm, The Hague";
  expect((await searchedFor(label))[0]).toBe("pearl");
  expect(await searchedFor("a young girl pours milk into a bowl beside a window in the kitchen")).toEqual([undefined]);
});

it("finds names that are written together with their particle", async () => {
  await publish({ "urn:dyck": { label: "Anthony van Dyck" } });
  expect(await searchedFor("vandyck")).toEqual(["dyck", "van dyck"]);
});

it("takes an address as people copy it for that of a record, or of its equivalent", async () => {
  await publish({
    "http://museum.example/object/1": {
      label: "One",
      refers: { equivalent: ["http://www.wikidata.org/entity/Q1", "http://vocab.getty.edu/ulan/500115588"] },
    },
    "https://museum.example/set/": { label: "Set" },
    "https://museum.example/münze": { label: "Coin" },
    "http://vocab.getty.edu/ulan/1": { label: "A concept" },
  });
  const found = async (text: string): Promise<string | undefined> =>
    (await searched.search.find({ text }, { limit: 5 })).items[0]?.iri;
  for (const start of ["http://", "https://"])
    for (const end of ["", "/", ".html", ".schema.jsonld", "?lang=nl", ".html?lang=nl#top", ">"])
      expect(await found(`${start}museum.example/object/1${end}`), start + end).toBe("http://museum.example/object/1");
  expect(await found("<https://museum.example/set>")).toBe("https://museum.example/set/");
  for (const end of ["m%C3%BCnze", "m%c3%bcnze.html?lang=nl", "münze.html"])
    expect(await found(`https://museum.example/${end}`), end).toBe("https://museum.example/münze");
  for (const iri of [
    "http://museum.example/object/1",
    "https://museum.example/münze",
    "http://vocab.getty.edu/ulan/1",
  ]) {
    const uri = encodeURIComponent(iri);
    for (const query of [`?uri=${uri}`, `?uri=${uri}.html`, `?lang=nl&uri=${uri}#top`])
      expect(await found(`https://service.example/x/entity${query}`), query).toBe(iri);
  }
  expect(await found("https://service.example/entity?uri=urn%3Anone")).toBeUndefined();
  for (const text of [
    "http://www.wikidata.org/entity/Q1",
    "https://www.wikidata.org/wiki/Q1",
    "www.wikidata.org/wiki/Q1",
  ])
    expect(await found(text), text).toBe("http://museum.example/object/1");
  for (const text of ["Q1", "wd:Q1", "500115588", "ULAN 500115588", "ulan:500115588"])
    expect(await found(text), text).toBe("http://museum.example/object/1");
  for (const text of ["museum.example/object/1", "https://www.museum.example/object/1.html"])
    expect(await found(text), text).toBe("http://museum.example/object/1");
  for (const text of ["http://museum.example/object/", "http://museum.example/", "https://www.wikidata.org/wiki/Q2"])
    expect(await found(text), text).toBeUndefined();
});

it("keeps the name of a maker rather than rarer words, or words that only join others", async () => {
  const works = Array.from({ length: 20 }, (_, at) => [`urn:${at}`, { label: `View of the mill ${at}` }]);
  const prints = ["a", "b", "c"].map((id) => [`urn:${id}`, { label: "Print", maker: "urn:w Whistler" }]);
  const mother = { "urn:m": { label: "His mother, by the sea with a hat, el sol" } };
  await publish({ ...Object.fromEntries([...works, ...prints]), ...mother });
  expect((await searchedFor("whistler mother")).at(-1)).toBe("whistler");
  expect((await searchedFor("print by whistler with his hat")).at(-1)).toBe("print whistler");
  expect(await searchedFor("el beso")).toEqual([undefined]);
});

it("finds one of several texts with OR between them, in capitals and without parentheses", async () => {
  await publish({
    "urn:milk": { label: "Milkmaid", maker: "urn:v Johannes Vermeer" },
    "urn:watch": { label: "Night Watch", maker: "urn:r Rembrandt" },
    "urn:night": { label: "Night", maker: "urn:v Johannes Vermeer" },
    "urn:life": { label: "Life or Death" },
    "urn:c5": { label: "Box", identifiers: ["SK-C-5"] },
    "urn:x/1943.3.8": { label: "Case" },
  });
  for (const [text, ...found] of [
    ["night watch OR milkmaid", "milk", "watch"],
    ["night rembrandt OR night vermeer", "night", "watch"],
    ["LIFE OR DEATH", "life"],
    ["! OR watch", "watch"],
    // One side is yet to be typed.
    ["watch OR", "watch"],
    ["OR watch", "watch"],
    ["OR", "life"],
    [`watch${" OR milkmaid".repeat(30)}`, "milk", "watch"],
    ["SK-C-5 OR 1943.3.8", "c5", "x/1943.3.8"],
  ] as const)
    expect((await searchedFor(text)).sort(), text).toEqual([...found, undefined]);
  for (const text of ["skc5 1943.3.8", "SK-C-5, 1943.3.8", "SK-C-5\n1943.3.8\n"])
    expect((await searchedFor(text)).slice(0, 2), text).toEqual(["c5", "x/1943.3.8"]);
  const very = Array.from({ length: 40_000 }, (_, at) => `zz${at}`).join(" OR ");
  expect(await searchedFor(`watch OR ${very}`, { isAsWritten: true })).toEqual(["watch", undefined]);
  expect(await searchedFor("milkmaed OR rembrant")).toEqual(["milk", "watch", "milkmaid OR rembrandt"]);
  const { items } = await searched.search.find({ text: "watch OR milkmaid" }, { limit: 5, hasReasons: true });
  expect(items.map(({ reasons }) => reasons?.[0]?.words).sort()).toEqual([["milkmaid"], ["watch"]]);
});

it("takes small numbers for their words, and words for the numbers", async () => {
  await publish({
    "urn:fuji": { label: "Thirty-Six Views of Mount Fuji" },
    "urn:edo": { label: "One Hundred Views of Edo" },
    "urn:graces": { label: "The 3 Graces" },
  });
  expect(await searchedFor("36 views of Mt. Fuji")).toEqual(["fuji", "thirty six views of Mt. Fuji"]);
  expect(await searchedFor("100 views of edo")).toEqual(["edo", "hundred views of edo"]);
  expect(await searchedFor("three graces")).toEqual(["graces", "3 graces"]);
});

it("takes no years for a number in a label", async () => {
  await publish({
    ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`urn:${at}`, { label: `Vase ${at}` }])),
    "urn:x/1915.26": { label: "Amulet" },
    "urn:lilies": { label: "Water Lilies", maker: "urn:m Claude Monet", years: ["1915", "1926"] },
  });
  const label = "Claude Monet (French, 1840–1926), Water Lilies (Agapanthus), c. 1915–26, oil on canvas";
  expect((await searchedFor(label))[0]).toBe("lilies");
});

it("looks for a name in the genitive, and for a decade with an apostrophe", async () => {
  await publish({
    "urn:rembrandt": { label: "Rembrandt" },
    "urn:mother": { label: "Rembrandt's Mother" },
    "urn:sunflowers": { label: "Sunflowers", maker: "urn:g Vincent van Gogh" },
    "urn:photograph": { label: "Photograph", years: ["1925", "1925"] },
  });
  for (const text of ["Rembrandt's", "REMBRANDT’S"])
    expect(await searchedFor(text), text).toEqual(["mother", "rembrandt", undefined]);
  expect(await searchedFor("Rembrant's mother")).toEqual(["mother", "rembrandt mother"]);
  for (const text of ["van Gogh's sunflowers", "Van Gogh's sunflower's"])
    expect(await searchedFor(text), text).toEqual(["sunflowers", undefined]);
  expect(await searchedFor("van Gogh's sunflowers 17th century")).toEqual(["sunflowers", "van gogh sunflowers"]);
  expect(await searchedFor("photograph, 1920's")).toEqual(["photograph", undefined]);
});

it("never leaves out all but a particle or a letter", async () => {
  const others = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`urn:${at}`, { label: `Mill ${at}` }]));
  await publish({
    ...others,
    "urn:gogh": { label: "Vincent van Gogh" },
    "urn:c": { label: "C" },
    "urn:ka": { label: "ホ" },
  });
  for (const text of ["van dyke", "M. C. Escher", "ホクサイ"])
    expect(await searchedFor(text), text).toEqual([undefined]);
});

it("takes capitals before a name for initials, and the end of an address for a title or a number", async () => {
  await publish({
    "urn:turner": { label: "Joseph Mallord William Turner" },
    "urn:other": { label: "Madeleine Turner" },
    "urn:pearl": { label: "Girl with a Pearl Earring", identifiers: ["670"] },
    "urn:ulan": { label: "Ulan", refers: { equivalent: ["http://vocab.getty.edu/ulan/1"] } },
  });
  expect(await searchedFor("JMW Turner")).toEqual(["turner", "J M W Turner"]);
  for (const end of [
    "Girl_with_a_Pearl_Earring",
    "670-girl-with-a-pearl-earring/",
    "girl%20pearl.html?a=b/c#d",
    "Ulan_1",
  ])
    expect((await searchedFor(`https://en.wikipedia.example/wiki/${end}`))[0], end).toBe(
      end === "Ulan_1" ? undefined : "pearl",
    );
  for (const end of ["670", "girl", "a_girl%"])
    expect(await searchedFor(`https://museum.example/${end}`, { hasAllWords: true }), end).toEqual([undefined]);
  expect((await searchedFor("http://vocab.getty.edu/page/ulan/1"))[0]).toBe("ulan");
});

it("leaves out the words of a question", async () => {
  await publish({
    "urn:moses": { label: "The finding of Moses", years: ["1740", "1750"] },
    "urn:who": { label: "Who is the Moses of it" },
    ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`urn:${at}`, { label: `Mill ${at}` }])),
  });
  expect(await searchedFor("who drew the finding of moses?")).toEqual(["moses", "finding moses"]);
  expect(await searchedFor("(mill OR moses) AND finding")).toEqual(["moses", "moses finding"]);
  expect(await searchedFor("moses between 1741 and 1742")).toEqual(["moses", "moses 1741–1742"]);
});

it("suggests the words that very many more records have than the few of a text, and replaces them where these are elsewhere", async () => {
  const many = Array.from({ length: 21 }, (_, at) => [`urn:${at}`, { label: `Landscape by Gauguin ${at}` }] as const);
  await publish({
    ...Object.fromEntries(many),
    "urn:letter": { label: "Letter", statements: ["Bought from Mr Gaugin"] },
    "urn:other": { label: "Portrait", statements: ["After Gaugain"] },
    "urn:rare": { label: "Gauge" },
  });
  const nearTo = async (text: string, query = {}) => {
    const { total, meant, near } = await searched.search.find({ text, ...query }, { limit: 5 });
    return [total, meant?.text, near];
  };
  expect(await nearTo("gaugin")).toEqual([1, undefined, "gauguin"]);
  expect(await nearTo("landscape gaugin")).toEqual([21, "landscape gauguin", undefined]);
  expect(await nearTo("mr gaugin")).toEqual([1, undefined, undefined]);
  expect(await nearTo("bought from mr gaugin")).toEqual([1, undefined, undefined]);
  expect(await nearTo("gauge")).toEqual([1, undefined, undefined]);
  expect(await nearTo("gauguin")).toEqual([21, undefined, undefined]);
  expect(await nearTo("gaugin", { hasAllWords: true })).toEqual([1, undefined, undefined]);
  expect(await nearTo("gaugin", { begins: 1900 })).toEqual([0, undefined, undefined]);
});

it("joins no digits of a number to those of other numbers", async () => {
  await publish({ "urn:leaf": { label: "Leaf 12 of an album", identifiers: ["1937.88"] } });
  expect(await searchedFor("1937.1.2")).toEqual([undefined]);
  expect(await searchedFor("alb um")).toEqual(["leaf", "album"]);
});

it("suggests a word that very many more records have also beside the results for a corrected one", async () => {
  const many = Array.from(
    { length: 21 },
    (_, at) => [`urn:many${at}`, { label: `Copy ${at} after Rembrandt` }] as const,
  );
  await publish({ "urn:one": { label: "A letter about Rembrant" }, ...Object.fromEntries(many) });
  const { items, meant, near } = await searched.search.find({ text: "rembrnt" }, { limit: 5 });
  expect([items.map(({ iri }) => iri), meant?.text, near]).toEqual([["urn:one"], "rembrant", "rembrandt"]);
});
