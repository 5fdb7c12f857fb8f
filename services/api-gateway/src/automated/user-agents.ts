import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Show a message's pictures to a person who has just opened it (Gmail, Yahoo): they call for somebody, and are no crawlers. */
const imageProxies = /GoogleImageProxy|YahooMailProxy/

const list = createRequire(import.meta.url).resolve('crawler-user-agents')
const crawlers = JSON.parse(readFileSync(list, 'utf8')) as { pattern: string }[]
const known = new RegExp(crawlers.map(({ pattern }) => `(?:${pattern})`).join('|'))

/**
 * Whether a client calls itself by the name of a known crawler, scanner or HTTP library. Names that are merely unusual pass: mail
 * clients have such names, and Apple's privacy proxy says `Mozilla/5.0` and no more.
 */
export function isCrawlerName(userAgent: string): boolean {
  return known.test(userAgent) && !imageProxies.test(userAgent)
}
