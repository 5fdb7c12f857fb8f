import type { HtmlPage } from './html-page.ts'

/** Origin that stands for the host of the documentation site while links are resolved. */
const origin = 'https://site.invalid'

export interface SiteFiles {
  /** HTML pages of the documentation site by path below its root: `guides/send/index.html`. */
  pages: ReadonlyMap<string, HtmlPage>
  /** Paths of all files below the root of the documentation site. */
  files: ReadonlySet<string>
}

/**
 * Lists links of the documentation site that lead nowhere, as `page → link`. Links to other hosts
 * are not followed.
 *
 * @param base path of the root of the site on the host, with slashes around it
 * @param outside paths on the host outside of the site that exist
 */
export function deadLinks(
  { pages, files }: SiteFiles,
  base: string,
  outside: readonly string[],
): string[] {
  const isDead = (page: string, link: string) => {
    const url = new URL(link, `${origin}${base}${page.replace(/index\.html$/, '')}`)
    if (url.origin !== origin || outside.includes(url.pathname)) return false
    if (!url.pathname.startsWith(base)) return true
    const path = decodeURIComponent(url.pathname.slice(base.length))
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path
    const anchor = decodeURIComponent(url.hash.slice(1))
    return !files.has(file) || (anchor !== '' && pages.get(file)?.ids.has(anchor) === false)
  }
  return [...pages].flatMap(([page, { links }]) =>
    [...new Set(links)].filter((link) => isDead(page, link)).map((link) => `${page} → ${link}`),
  )
}
