// Type declarations for two npm packages that have none, as far as this project uses the packages.

declare module 'html-to-text' {
  interface Options {
    wordwrap: false
    selectors: { selector: string; format?: string; options?: Record<string, unknown> }[]
    limits: { maxDepth: number; maxChildNodes: number; ellipsis: string }
  }
  export function compile(options: Options): (html: string) => string
}

declare module 'sanitize-html' {
  type Attributes = Record<string, string>
  interface Options {
    allowedTags: string[]
    allowedAttributes: Record<string, string[]>
    allowedClasses?: Record<string, string[]>
    parseStyleAttributes?: boolean
    allowedSchemes?: string[]
    allowedSchemesByTag?: Record<string, string[]>
    allowedSchemesAppliedToAttributes?: string[]
    allowProtocolRelative?: boolean
    nonTextTags?: string[]
    nestingLimit?: number
    disallowedTagsMode?: 'discard'
    transformTags?: Record<
      string,
      (tagName: string, attribs: Attributes) => { tagName: string; attribs: Attributes }
    >
  }
  const sanitize: (html: string, options: Options) => string
  export default sanitize
}
