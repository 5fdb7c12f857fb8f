import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from './site-window.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Rules of axe whose results depend on the theme, which changes colours only. */
export const colourRules = ['color-contrast', 'link-in-text-block']
const structureRules = {
  ...Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])),
  'target-size': { enabled: true },
}
/** Tags of the axe rules for WCAG 2.0 to 2.2, levels A and AA. */
export const requiredRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Adds axe to the open page, for the other functions of this file. */
export async function addAxe(page: Page): Promise<void> {
  await page.evaluate(axe)
}

/** Findings of axe by all rules that do not concern colours, with sizes of targets. */
export function structureFindings(page: Page): Promise<string[]> {
  return axeFindings(page, { rules: structureRules })
}

/** Findings of axe on the colours of a page with the impact `serious` or `critical`. */
export function colourFindings(page: Page): Promise<string[]> {
  return axeFindings(page, { runOnly: colourRules })
}

/**
 * Findings of axe with the impact `serious` or `critical`, as `rule: element`. The live region of
 * React Aria is left out: its announcements name buttons, and stay some seconds after a button has
 * gone.
 */
export function axeFindings(page: Page, options: object): Promise<string[]> {
  return page.evaluate<string[]>(`(async () => {
    const transitions = () =>
      document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    // A new theme starts a transition in an element, and then in each child that inherits a colour.
    do {
      await Promise.allSettled(transitions().map(({ finished }) => finished))
      await new Promise(requestAnimationFrame)
    } while (transitions().length > 0)
    const options = ${JSON.stringify({ ...options, resultTypes: ['violations'] })}
    const { violations } = await axe.run({ exclude: [['[data-live-announcer]']] }, options)
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html))
  })()`)
}

/**
 * Finds the elements of which all descendants repeat the look of earlier elements in both themes,
 * for the next two functions. Two elements look the same if they and all their ancestors have the
 * same name, class, inline style, colours and size of text, and show text or not.
 */
export async function findRepeatedLooks(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const looks = new Map()
    const addLook = (element) => {
      const { color, background, opacity, fontSize, fontWeight, textDecoration } =
        getComputedStyle(element)
      const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
      // Axe does not judge the contrast of a single character.
      const length = Math.min(2, texts.map((node) => node.data.trim()).join('').length)
      const shows = [length, element.checkVisibility({ visibilityProperty: true })]
      const given = [element.localName, element.className, element.style?.cssText]
      const computed = [color, background, opacity, fontSize, fontWeight, textDecoration]
      looks.set(element, [looks.get(element), ...shows, ...given, ...computed].join())
    }
    for (const theme of ['dark', 'light']) {
      document.documentElement.dataset.theme = theme
      document.body.querySelectorAll('*').forEach(addLook)
    }
    const numbers = new Map()
    window.repeatedLooks = new Set()
    const visit = (element, parent) => {
      const look = parent + looks.get(element)
      let isNew = !numbers.has(look)
      if (isNew) numbers.set(look, numbers.size)
      for (const child of element.children) if (visit(child, numbers.get(look))) isNew = true
      if (!isNew) window.repeatedLooks.add(element)
      return isNew
    }
    visit(document.body, 0)
  })()`)
}

/**
 * Replaces the coloured parts of each line of code by their text, unless the look of a part is new.
 * Half of the elements are such parts, which have no structure. The page keeps its layout.
 */
export async function mergeRepeatedCode(page: Page): Promise<void> {
  await page.evaluate(`for (const line of document.querySelectorAll('pre .code'))
    if (window.repeatedLooks.has(line)) line.textContent = line.textContent`)
}

/**
 * Empties the elements with repeated looks in the text of the page. The other elements show all
 * combinations of colours of the page. Navigation, header, links and buttons stay complete.
 */
export async function emptyRepeatedLooks(page: Page): Promise<void> {
  await page.evaluate(`for (const element of document.querySelectorAll('.sl-markdown-content *'))
    if (window.repeatedLooks.has(element) && !element.closest('a, button, summary'))
      element.replaceChildren()`)
}

/** Chooses a theme for the open page. */
export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
}

/** True if the open page is wider than its window. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
}

/** Links of the page to this host, without the current anchor, and the ids of its elements. */
export function linksAndIds(page: Page): Promise<{ links: string[]; ids: string[] }> {
  return page.evaluate(`({
    links: [...document.links].map(({ href }) => href),
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  })`)
}

/** Sizes in bytes of the page and all that it has loaded, as transferred. */
export function transferredBytes(page: Page): Promise<number> {
  return page.evaluate<number>(`[
    ...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource'),
  ].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
}
