/** The settings of EDM: names and rights that no record states. */

export interface EdmSettings {
  /** Who has the objects. Default: the title of the site. */
  readonly dataProvider?: string | undefined;
  /** Who gives the data to Europeana. Default: the data provider. */
  readonly provider?: string | undefined;
  /** The language of both names. */
  readonly language?: string | undefined;
  /** The rights of what says none, as Europeana writes them. Default: `NOT_EVALUATED`. */
  readonly rights?: string | undefined;
}
