import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Visitor } from '../public/visitor.ts'
import { createRangeCheck } from './ranges.ts'
import { createScannerCheck, type Names } from './scanner-names.ts'
import { isCrawlerName } from './user-agents.ts'

/** The list that comes with a release. */
const shipped = join(import.meta.dirname, '../../crawler-ranges.json')

export interface AutomatedCheck {
  /** By what can be told at once: the name and the address. */
  atOnce(visitor: Visitor): boolean
  /** By the name of the address in DNS. May take seconds; never rejects. */
  byName(visitor: Visitor): Promise<boolean>
}

/** Tells machines that look at mail from people who read it. */
export function createAutomatedCheck(
  rangesFile: string = shipped,
  names: Names = new Resolver({ timeout: 2_000, tries: 1 }),
): AutomatedCheck {
  const inRanges = createRangeCheck(readFileSync(rangesFile, 'utf8'))
  const isScanner = createScannerCheck(names)
  return {
    atOnce: ({ remoteAddress, userAgent }) => isCrawlerName(userAgent) || inRanges(remoteAddress),
    byName: ({ remoteAddress }) => isScanner(remoteAddress),
  }
}
