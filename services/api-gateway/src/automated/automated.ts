import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import crawlers from 'crawler-user-agents'
import { createRangeCheck } from './ranges.ts'
import { createScannerCheck } from './scanner-names.ts'

/**
 * File in the release with the address ranges of crawlers, used unless another file is configured.
 */
const defaultRangesFile = fileURLToPath(new URL('../../crawler-ranges.json', import.meta.url))

/** Client that requests a tracking or unsubscribe link. */
export interface LinkVisitor {
  remoteAddress: string
  /** User-Agent header of the visitor's request; empty if the request has no such header. */
  userAgent: string
}

export interface AutomatedCheck {
  /** Checks whether a link's visitor is a crawler, by user agent and address, without I/O. */
  isCrawler(visitor: LinkVisitor): boolean
  /**
   * Checks whether a visitor of a link is a mail scanner, by the DNS name of its address. May take
   * seconds; never rejects.
   */
  isScanner(visitor: LinkVisitor): Promise<boolean>
}

/**
 * Creates the check that separates crawlers and mail scanners from human readers among the visitors
 * of a tracking or unsubscribe link.
 */
export function createAutomatedCheck(rangesFile: string = defaultRangesFile): AutomatedCheck {
  const inRanges = createRangeCheck(readFileSync(rangesFile, 'utf8'))
  const isScannerAddress = createScannerCheck(new Resolver({ timeout: 2_000, tries: 1 }))
  return {
    isCrawler: ({ remoteAddress, userAgent }) =>
      isCrawlerName(userAgent) || inRanges(remoteAddress),
    isScanner: ({ remoteAddress }) => isScannerAddress(remoteAddress),
  }
}

/** User agents of Gmail's and Yahoo's image proxies, which load images when a user reads mail. */
const imageProxies = /GoogleImageProxy|YahooMailProxy/

const crawlerPattern = new RegExp(crawlers.map(({ pattern }) => `(?:${pattern})`).join('|'))

/**
 * True for user agents of known crawlers, scanners and HTTP libraries. Unusual user agents pass:
 * mail clients have them, and Apple's privacy proxy sends just `Mozilla/5.0`.
 */
export function isCrawlerName(userAgent: string): boolean {
  return crawlerPattern.test(userAgent) && !imageProxies.test(userAgent)
}
