import { describe, test } from '@jest/globals'
import { changingCases } from './changing.ts'
import type { CreateEnvironment, DefineCase } from './environment.ts'
import { failingCases } from './failing.ts'
import { followingCases } from './following.ts'
import { readingCases } from './reading.ts'
import { sendingCases } from './sending.ts'
import { watchingCases } from './watching.ts'

/**
 * Reasons why a mail provider's server cannot pass tests of the conformance suite, by test name.
 */
export type Deviations = Readonly<Record<string, string>>

/**
 * Requirements of `MailApi` for every provider, as tests. Called at the top of a test file. Tests
 * with a deviation must fail, so that the list of deviations stays right.
 */
export function testMailApi(
  name: string,
  create: CreateEnvironment,
  deviations: Deviations = {},
): void {
  const define: DefineCase = (title, run) => {
    const reason = deviations[title]
    if (reason === undefined) test(title, run)
    else test.failing(`${title} (deviates: ${reason})`, run)
  }
  describe(name, () => {
    for (const cases of allCases) cases(create, define)
  })
}

const allCases = [
  readingCases,
  changingCases,
  followingCases,
  watchingCases,
  sendingCases,
  failingCases,
]
