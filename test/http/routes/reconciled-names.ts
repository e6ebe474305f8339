/** Names as people's tables have them, with the records of the sample that they mean. */

interface NamedRow {
  readonly name: string;
  /** The value in a column of dates beside the name. */
  readonly date: string;
  /** The path of the record; `undefined` where the sample has none. */
  readonly meant: string | undefined;
}

/** A column of names, the type chosen for it, and the property of its dates. */
export interface NamedColumn {
  readonly type?: string;
  readonly dates?: string;
  readonly rows: readonly NamedRow[];
}

/** Rows from lines of the form `NAME | DATE | PATH`. */
function rows(lines: string): NamedRow[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", date = "", meant = ""] = line.split("|").map((cell) => cell.trim());
      return { name, date, meant: meant === "" ? undefined : meant };
    });
}

export const NAMED: readonly NamedColumn[] = [
  {
    rows: rows(`
      Johanes Vermeer || person/johannes-vermeer
      Johannes Vermer || person/johannes-vermeer
      J. Vermeer || person/johannes-vermeer
      Johannes Vermeer (1632-1675) || person/johannes-vermeer
      Vermeer, Johannes || person/johannes-vermeer
      Vermeer || person/johannes-vermeer
      Rembrant van Rijn || person/rembrandt
      Rembrandt van Rijn || person/rembrandt
      Gustave Klimt || person/gustav-klimt
      Albrecht Duerer || person/albrecht-durer
      Vincent Van Gogh || person/vincent-van-gogh
      V. van Gogh || person/vincent-van-gogh
      Hokusai || person/katsushika-hokusai
      Mt. Fuji || place/mount-fuji
      Nightwatch || object/night-watch
      Girl With A Pearl Ear-ring || object/girl-with-a-pearl-earring
      Girl with the Pearl Earring || object/girl-with-a-pearl-earring
      inv. 670 || object/girl-with-a-pearl-earring
      SK-C-5 || object/night-watch
      Paris, France || place/paris
      Rijksmuseum Amsterdam || group/rijksmuseum
      Lovre || group/louvre
      Jackson Pollock ||
      Centre Pompidou ||
    `),
  },
  {
    type: "person",
    dates: "born/timespan",
    rows: rows(`
      Rembrandt | 1606 | person/rembrandt
      Vermeer | 1632 | person/johannes-vermeer
      Vermeer, Jan | 1632 | person/johannes-vermeer
      Leonardo | 1452 | person/leonardo-da-vinci
      L. da Vinci | 15 April 1452 | person/leonardo-da-vinci
      Leonardo da Vinci (1452–1519) | | person/leonardo-da-vinci
      Klimt, G. | 1862 | person/gustav-klimt
      Auguste Roden | 1840 | person/auguste-rodin
      Rodin, August | c. 1840 | person/auguste-rodin
      Jan van Eyk | | person/jan-van-eyck
      Eyck, Hubert van | | person/hubert-van-eyck
      Francis | 1494 | person/francis-i
      Francis II | 1768 | person/francis-ii
      George III | 1738-06-04 | person/george-iii
      William I | 1772 | person/william-i-of-the-netherlands
      Fabricius, Carel | 1622 | person/carel-fabritius
      Giorgio Vassari | between 1510 and 1512 | person/giorgio-vasari
      Pablo Picasso | 1881 |
    `),
  },
  {
    type: "object",
    dates: "produced_by/timespan",
    rows: rows(`
      The Nightwatch | 1642 | object/night-watch
      Milkmaid | c. 1658 | object/milkmaid
      Girl with a Pearl Earring | 1665 | object/girl-with-a-pearl-earring
      Storm on the Sea of Galillee | 1633 | object/storm-on-the-sea-of-galilee
      Mona Lisa | 16th century | object/mona-lisa
      Portrait of Doctor Gachet | 1890 | object/dr-gachet
      Rhinoceros | 1515 | object/rhinoceros-print
      View on Delft | 1661 | object/view-of-delft
      The Great Wave | 1831 |
      The Starry Night | 1889 |
    `),
  },
  {
    type: "place",
    rows: rows(`
      Den Haag || place/the-hague
      Firenze || place/florence
      Antwerp, Belgium || place/antwerp
      New York City || place/new-york
      Amsterdm || place/amsterdam
      Auvers sur Oise || place/auvers-sur-oise
      Paris || place/paris
      Atlantis ||
    `),
  },
];
