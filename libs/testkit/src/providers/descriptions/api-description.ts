/** JSON Schema (2019-09), with the keywords that the API descriptions use. */
export type Schema = boolean | { [keyword: string]: unknown }

/**
 * Query parameter of an operation. `schema` describes a single value, after conversion to its type.
 */
export interface QueryParameter {
  schema: Schema
  /** Character that separates several values in one parameter. Only Graph has such parameters. */
  separator?: ','
  /**
   * True if the API description permits the query parameter several times. Only Google has such
   * parameters.
   */
  repeated?: true
}

/**
 * Operation that an API description contains. Its id is the method id (Google) or a text such as
 * `GET /mailFolders` (Graph).
 */
export interface ApiOperation {
  id: string
  methods: string[]
  /**
   * Path templates of the API operation with `{name}` for one segment or a part of a segment. All
   * templates mean the same operation.
   */
  paths: string[]
  query: Record<string, QueryParameter>
  /**
   * True if query parameters that the API description lacks are permitted, for operations without a
   * description.
   */
  anyQuery?: true
  /**
   * Schema of the JSON body of an API request. Absent if there is no body. True if the body is not
   * checked.
   */
  request?: Schema
  /** Content types of request bodies other than JSON. These bodies are not checked. */
  otherTypes?: string[]
  /**
   * Schema of an API response's body, by status below 400. Null for an empty body. True if the body
   * is not checked.
   */
  responses: Record<string, Schema | null>
}

/** Published description of a mail provider's API, reduced to names and types. */
export interface ApiDescription {
  /** Name of the published API description, and its revision or commit. */
  source: string
  licence: string
  error: Schema
  operations: ApiOperation[]
  schemas: Record<string, Schema>
}
