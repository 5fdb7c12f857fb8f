import { posix } from 'node:path'
import { urlPathOf } from './page.ts'

const fence = /^ *(`{3,}|~{3,})/
/** Pattern of a link to a Markdown file: `](send.md#limits)` or `[name]: send.md`. */
const link = /(\]\(|^\[[^\]]+\]: )([^()\s:]+\.md)(?=[#)\s]|$)/gm

/**
 * Replaces relative links to Markdown files by addresses of the site. Code blocks stay as they are.
 *
 * @param path path of the Markdown file below the root of the site
 * @param base address of the root of the site, with a slash at the end
 */
export function rewriteLinks(markdown: string, path: string, base: string): string {
  let openFence: string | undefined
  const lines = markdown.split('\n').map((line) => {
    const [, mark] = fence.exec(line) ?? []
    if (mark !== undefined && (openFence === undefined || mark.startsWith(openFence))) {
      openFence = openFence === undefined ? mark : undefined
      return line
    }
    return openFence === undefined ? rewriteLine(line, path, base) : line
  })
  return lines.join('\n')
}

function rewriteLine(line: string, path: string, base: string): string {
  return line.replace(link, (_match, start: string, target: string) => {
    const file = posix.join(posix.dirname(path), target)
    return `${start}${base}${urlPathOf(file)}`
  })
}
