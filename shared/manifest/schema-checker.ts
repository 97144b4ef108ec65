/** A fault of a JSON Schema itself, such as a keyword with the wrong type. */
export interface SchemaFault {
  /** JSON pointer into the schema. */
  readonly pointer: string;
  /** What is wrong, as a sentence without the place. */
  readonly message: string;
}

/**
 * Holds other people's JSON Schemas against JSON Schema 2020-12. A port, since the checker at hand makes
 * code at run time, which the renderer's content security policy forbids.
 */
export interface SchemaChecker {
  faultsOf(schema: Readonly<Record<string, unknown>>): readonly SchemaFault[];
}
