import { Parser } from 'htmlparser2'

/** Parts of a built HTML page that the checks of the documentation site need. */
export interface HtmlPage {
  /** Values of the HTML attribute `id`, the targets of anchors. */
  ids: ReadonlySet<string>
  /** Values of the HTML attributes `href` and `src`. */
  links: readonly string[]
  /** Texts of the HTML page's scripts without `src`. */
  inlineScripts: readonly string[]
  /** Number of `<style>` elements of the HTML page. */
  styleElements: number
  /** Names of HTML attributes that contain a script, such as `onclick`. */
  handlers: readonly string[]
}

export function readHtmlPage(html: string): HtmlPage {
  const ids = new Set<string>()
  const [links, inlineScripts, handlers]: [string[], string[], string[]] = [[], [], []]
  let styleElements = 0
  let script: string | undefined
  const parser = new Parser({
    onopentag(name, { id, href, src, ...others }) {
      if (id !== undefined) ids.add(id)
      links.push(...[href, src].filter((link) => link !== undefined))
      handlers.push(...Object.keys(others).filter((attribute) => attribute.startsWith('on')))
      if (name === 'style') styleElements += 1
      if (name === 'script' && src === undefined) script = ''
    },
    ontext(text) {
      if (script !== undefined) script += text
    },
    onclosetag(name) {
      if (name !== 'script' || script === undefined) return
      inlineScripts.push(script)
      script = undefined
    },
  })
  parser.end(html)
  return { ids, links, inlineScripts, styleElements, handlers }
}
