import { posix } from 'node:path'
import type { Page } from './page.ts'

/**
 * Content of `llms.txt`: all pages by folder with their descriptions, in the order of the side bar,
 * as links to the Markdown files.
 *
 * @param home page at the root of the site
 * @param base address of the root of the site, with a slash at the end
 */
export function llmsTxt(home: Page, pages: readonly Page[], base: string): string {
  const folders = [...new Set(pages.map(({ path }) => posix.dirname(path)))].toSorted()
  const sections = folders.map((folder) => {
    const own = pages.filter(({ path }) => posix.dirname(path) === folder)
    const lines = own
      .toSorted((a, b) => a.order - b.order || (a.path < b.path ? -1 : 1))
      .map(({ path, title, description }) => `- [${title}](${base}${path}): ${description}`)
    return `## ${folder}\n\n${lines.join('\n')}\n`
  })
  const openApi = '## OpenAPI\n\n- [OpenAPI document](/openapi.json): all operations and schemas\n'
  return [`# ${home.title}\n\n> ${home.description}\n`, ...sections, openApi].join('\n')
}
