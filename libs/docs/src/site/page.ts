import { splitFrontMatter } from '../front-matter.ts'

/** Page of the documentation, from a Markdown file with front matter. */
export interface Page {
  /** Path of the Markdown file below the root of the site, such as `guides/send.md`. */
  path: string
  title: string
  /** Sentence that describes the documentation page in search results and `llms.txt`. */
  description: string
  /** Position of the documentation page in the side bar, within its folder. */
  order: number
  /**
   * Markdown text of the page without front matter and without a first heading that repeats the
   * title.
   */
  body: string
}

const heading = /^\s*# .*\n/

/**
 * Reads a documentation page from its Markdown text.
 *
 * @throws Error if the front matter has no title, description or order
 */
export function parsePage(path: string, text: string): Page {
  const { head, body } = splitFrontMatter(text)
  const { title, description, order } = head
  if (typeof title !== 'string' || typeof description !== 'string' || typeof order !== 'number')
    throw new Error(`${path}: the front matter needs title, description and order`)
  return { path, title, description, order, body: body.replace(heading, '\n') }
}

/** Markdown text of a documentation page without front matter, for readers of the `.md` file. */
export function plainMarkdown({ title, description, body }: Page): string {
  return `# ${title}\n\n${description}\n\n${body.trim()}\n`
}

/**
 * Path of a documentation page below the root of the site: `guides/send.md` is served as
 * `guides/send/`.
 */
export function urlPathOf(path: string): string {
  return path.replace(/(?:(^|\/)index)?\.md$/, (_end, slash?: string) => slash ?? '/')
}
