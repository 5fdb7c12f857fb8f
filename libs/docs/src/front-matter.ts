import { parse } from 'yaml'

/** Markdown document of the documentation, split at the end of its front matter. */
export interface SplitDocument {
  /** Members of the Markdown document's front matter. */
  head: Readonly<Record<string, unknown>>
  /** Markdown text after the front matter. */
  body: string
  /** Number of lines of the Markdown document before its body. */
  headLines: number
}

/** Splits a Markdown document into front matter (YAML) and body. */
export function splitFrontMatter(text: string): SplitDocument {
  const [block = '', source = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
  const head = (parse(source) ?? {}) as SplitDocument['head']
  return { head, body: text.slice(block.length), headLines: block.split('\n').length - 1 }
}
