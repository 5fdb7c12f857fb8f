import { parse } from 'yaml'

/** Markdown document, split at the end of its front matter. */
export interface SplitDocument {
  /** Members of the front matter. */
  head: Readonly<Record<string, unknown>>
  /** Markdown after the front matter. */
  body: string
  /** Number of lines before the body. */
  headLines: number
}

/** Splits a Markdown document into front matter (YAML) and body. */
export function splitFrontMatter(text: string): SplitDocument {
  const [block = '', source = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
  const head = (parse(source) ?? {}) as SplitDocument['head']
  return { head, body: text.slice(block.length), headLines: block.split('\n').length - 1 }
}
