import { posix } from 'node:path'
import { urlPathOf } from './page.ts'

const fence = /^ *(`{3,}|~{3,})/
/** Pattern of a link to a Markdown file: `[Limits](send.md#limits)`. */
const link = /\[([^[\]]+)\]\(([^()\s:#]+\.md)(#[^()\s]*)?\)/g

/**
 * Replaces relative links to Markdown files of the site by addresses.
 *
 * @param path path of the Markdown file below the root of the site
 * @param base address of the root of the site, with a slash at the end
 */
export function rewriteLinks(markdown: string, path: string, base: string): string {
  return replaceLinks(markdown, path, ({ text, file, anchor }) =>
    isOutside(file) ? undefined : `[${text}](${base}${urlPathOf(file)}${anchor})`,
  )
}

/**
 * Replaces links to files of the repository outside of the site by the names of the files.
 *
 * @param path path of the Markdown file below the root of the site
 * @param folder folder of the repository that is the root of the site
 */
export function nameRepositoryFiles(markdown: string, path: string, folder: string): string {
  return replaceLinks(markdown, path, ({ text, file }) => {
    if (!isOutside(file)) return undefined
    const name = posix.join(folder, file)
    return text.includes(name) ? text : `${text} (\`${name}\`)`
  })
}

interface Link {
  text: string
  /** Path of the linked file, relative to the root of the documentation site. */
  file: string
  anchor: string
}

/** Replaces links to Markdown files outside of code blocks. Undefined leaves a link unchanged. */
function replaceLinks(
  markdown: string,
  path: string,
  replace: (link: Link) => string | undefined,
): string {
  const parts = splitAtFences(markdown)
  return parts
    .map(({ isCode, text: part }) =>
      isCode
        ? part
        : part.replace(link, (match, text: string, ...[target = '', anchor = '']: string[]) => {
            const file = posix.join(posix.dirname(path), target)
            return replace({ text, file, anchor }) ?? match
          }),
    )
    .join('\n')
}

function splitAtFences(markdown: string): { isCode: boolean; text: string }[] {
  const parts: { isCode: boolean; lines: string[] }[] = [{ isCode: false, lines: [] }]
  let openFence: string | undefined
  for (const line of markdown.split('\n')) {
    const [, mark] = fence.exec(line) ?? []
    const opens = mark !== undefined && openFence === undefined
    const closes = mark !== undefined && openFence !== undefined && mark.startsWith(openFence)
    if (opens) parts.push({ isCode: true, lines: [] })
    parts.at(-1)?.lines.push(line)
    if (closes) parts.push({ isCode: false, lines: [] })
    openFence = opens ? mark : closes ? undefined : openFence
  }
  return parts
    .filter(({ lines }) => lines.length > 0)
    .map(({ isCode, lines }) => ({ isCode, text: lines.join('\n') }))
}

function isOutside(file: string): boolean {
  return file.startsWith('../')
}
