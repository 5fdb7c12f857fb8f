/** JSON Schema (2019-09), as far as the descriptions use it. */
export type Schema = boolean | { [keyword: string]: unknown }

/** Query parameter. `schema` describes one value, after conversion to its type. */
export interface QueryParameter {
  schema: Schema
  /** Separator of several values in one parameter. Only Graph has such parameters. */
  separator?: ','
  /** True if the parameter may occur several times: Google. */
  repeated?: true
}

/** Described request. Its id is the method id (Google) or `GET /mailFolders` (Graph). */
export interface ApiOperation {
  id: string
  methods: string[]
  /** Path templates with `{name}` for one segment or a part of it. All have the same meaning. */
  paths: string[]
  query: Record<string, QueryParameter>
  /** True if any other query parameter is permitted: operations without a description. */
  anyQuery?: true
  /** Schema of a JSON body. Absent without a body; true if it is not checked. */
  request?: Schema
  /** Content types of bodies other than JSON, which are not checked. */
  otherTypes?: string[]
  /** Schema of the body per status below 400; null for an empty body, true if it is not checked. */
  responses: Record<string, Schema | null>
}

/** Published description of an API, reduced to names and types. */
export interface ApiDescription {
  /** Name, and revision or commit, of the published descriptions. */
  source: string
  licence: string
  error: Schema
  operations: ApiOperation[]
  schemas: Record<string, Schema>
}
