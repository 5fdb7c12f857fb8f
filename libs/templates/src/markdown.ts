import MarkdownIt from 'markdown-it'

/** HTML inside of markdown is the author's own; addresses such as `javascript:` become no links. */
const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false })

export function markdownToHtml(text: string): string {
  return markdown.render(text)
}

/**
 * Makes a value text and nothing else, in markdown and in HTML within it. Character references, and not backslashes: they mean the
 * same in text, in link addresses and in attributes, and never make structure (CommonMark §2.5).
 */
export function escapeMarkdown(value: unknown): string {
  if (value === undefined || value === null) return ''
  return `${value as string}`.replaceAll(
    /[!-+\-.:<-@[-`{-~]/g,
    (char) => `&#${char.charCodeAt(0)};`,
  )
}
