export interface PageHead {
  title: string
  /** Description of the documentation page in one sentence. */
  description: string
  /** Position of the documentation page in its part of the side bar. */
  order: number
}

/**
 * Markdown text of a documentation page with front matter. Parts of the page are separated by empty
 * lines.
 */
export function markdownPage({ title, description, order }: PageHead, parts: string[]): string {
  const head = [
    '---',
    `title: ${JSON.stringify(title)}`,
    `description: ${JSON.stringify(description)}`,
    `order: ${order}`,
    '---',
  ]
  return `${[head.join('\n'), ...parts.filter((part) => part !== '')].join('\n\n')}\n`
}

/** Markdown table. Empty for a table without rows. Line breaks in cells become spaces. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.map(toCell).join(' | ')} |`
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

function toCell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/(?<!\\)\|/g, '\\|')
}

/** Fenced code block in Markdown. The fence is longer than every run of backticks in the text. */
export function codeBlock(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}

/** Anchor of a Markdown heading, as GitHub and Starlight derive the anchor. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

/**
 * Replaces the links of a Markdown document, whose targets are relative to the document, by their
 * texts.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}
