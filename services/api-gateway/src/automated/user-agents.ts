import crawlers from 'crawler-user-agents'

/** Image proxies of Gmail and Yahoo, which load images when a user opens a message. */
const imageProxies = /GoogleImageProxy|YahooMailProxy/

const crawlerPattern = new RegExp(crawlers.map(({ pattern }) => `(?:${pattern})`).join('|'))

/**
 * True for user agents of known crawlers, scanners and HTTP libraries. Unusual names pass: mail
 * clients have them, and Apple's privacy proxy sends just `Mozilla/5.0`.
 */
export function isCrawlerName(userAgent: string): boolean {
  return crawlerPattern.test(userAgent) && !imageProxies.test(userAgent)
}
