import { axeFindings, colourRules, withoutColours } from '../axe-findings.ts'
import type { Page } from './site-window.ts'

const structureRules = { ...withoutColours, 'target-size': { enabled: true } }

/**
 * Findings of the accessibility checker axe by all rules that do not concern colours, with sizes of
 * click targets.
 */
export function structureFindings(page: Page): Promise<string[]> {
  return axeFindings(page, { rules: structureRules })
}

/**
 * Findings of the accessibility checker axe on the colours of a page with the impact `serious` or
 * `critical`.
 */
export function colourFindings(page: Page): Promise<string[]> {
  return axeFindings(page, { runOnly: colourRules })
}

/**
 * Finds the elements with repeated looks in both themes, for `mergeRepeatedCode` and
 * `emptyRepeatedLooks`: such an element, and each of its descendants, looks like an earlier
 * element. The look of an element is the name, class, inline style, colours and text size of the
 * element and of all its ancestors, and whether the element shows text.
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
 * Half of the elements of a page are such parts, which have no structure. The layout of the page
 * stays the same.
 */
export async function mergeRepeatedCode(page: Page): Promise<void> {
  await page.evaluate(`for (const line of document.querySelectorAll('pre .code'))
    if (window.repeatedLooks.has(line)) line.textContent = line.textContent`)
}

/**
 * Replaces the coloured parts of each line of code by their text, unless the line has an element
 * that `findNewLooks` has found.
 */
export async function mergeSeenCode(page: Page): Promise<void> {
  await page.evaluate(`for (const line of document.querySelectorAll('pre .code'))
    if (!window.newLooks.some((element) => line.contains(element)))
      line.textContent = line.textContent`)
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

/** Chooses the colour theme of the open documentation page. */
export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
}

/** True if the open page is wider than the window, so that readers must scroll sideways. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
}

/** Links of a documentation page, and the ids of its elements. */
export function linksAndIds(page: Page): Promise<{ links: string[]; ids: string[] }> {
  return page.evaluate(`({
    links: [...document.links].map(({ href }) => href),
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  })`)
}

/** Bytes of a documentation page and of all that the page has loaded, as transferred. */
export function transferredBytes(page: Page): Promise<number> {
  return page.evaluate<number>(`[
    ...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource'),
  ].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
}
