import { createHash } from 'node:crypto'
import type { HtmlPage } from './html-page.ts'

/**
 * Content security policy (CSP) of the documentation site. Scripts are files of the site, or inline
 * scripts whose hash is listed. Code blocks have their colours in `style` attributes. The search is
 * a WebAssembly module.
 *
 * @throws Error if a page has a `<style>` element or an attribute with a script, which the policy
 * would block
 */
export function contentPolicy(pages: ReadonlyMap<string, HtmlPage>): string {
  for (const [path, { styleElements, handlers }] of pages)
    if (styleElements > 0 || handlers.length > 0)
      throw new Error(`${path}: remove the <style> elements and attributes such as onclick`)
  const scripts = [...pages.values()].flatMap(({ inlineScripts }) => inlineScripts)
  const hashes = [...new Set(scripts.map(hashOf))].toSorted()
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${hashes.join(' ')}`.trim(),
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function hashOf(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
}
