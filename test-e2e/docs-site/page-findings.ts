import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from './site-window.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Rules of axe whose results depend on the theme, which changes colours only. */
const colourRules = ['color-contrast', 'link-in-text-block']

/** Findings of axe with the impact `serious` or `critical`, as `theme rule: element`. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return [
    ...(await runAxe(page, 'light', {})),
    ...(await runAxe(page, 'dark', { runOnly: colourRules })),
  ]
}

function runAxe(page: Page, theme: string, options: object): Promise<string[]> {
  return page.evaluate<string[]>(`(async () => {
    document.documentElement.dataset.theme = '${theme}'
    await new Promise(requestAnimationFrame)
    const options = ${JSON.stringify({ ...options, resultTypes: ['violations'] })}
    const { violations } = await axe.run(document, options)
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => '${theme} ' + id + ': ' + nodes[0].html)
  })()`)
}

/** Links of the page to this host, without the current anchor, and the ids of its elements. */
export function linksAndIds(page: Page): Promise<{ links: string[]; ids: string[] }> {
  return page.evaluate(`({
    links: [...document.links].map(({ href }) => href),
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  })`)
}
