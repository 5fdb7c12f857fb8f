import MarkdownIt from 'markdown-it'

/**
 * Parser of markdown templates. HTML in markdown is kept, because the author of the template wrote
 * it. URLs such as `javascript:` become no links.
 */
const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false })

export function markdownToHtml(text: string): string {
  return markdown.render(text)
}

/**
 * Escapes a value for a markdown template, so that the value is plain text in markdown and in HTML
 * within it. Uses character references, which mean the same in text, link addresses and attributes,
 * and never form structure (CommonMark §2.5). Backslash escapes would not work in all of these.
 */
export function escapeMarkdown(value: unknown): string {
  if (value === undefined || value === null) return ''
  return `${value as string}`.replaceAll(
    /[!-+\-.:<-@[-`{-~]/g,
    (char) => `&#${char.charCodeAt(0)};`,
  )
}
