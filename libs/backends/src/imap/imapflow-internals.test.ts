import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { ImapFlow } from 'imapflow'
import {
  decodePath,
  encodePath,
  hasCapability,
  type ImapFlowInternals,
  internalsOf,
  normalizePath,
} from './imapflow-internals.ts'

const { version } = createRequire(import.meta.url)('imapflow/package.json') as { version: string }

/** Digests of the source of each imapflow function, taken from imapflow 2.10.2. */
const verifiedDigests: Record<string, string> = {
  exec: '8b3183300927127d',
  run: '2a9969d83a91b59b',
  untaggedVanished: '2d6870c5844222d2',
  untaggedFetch: '898bcf7766f0d1d1',
  throttleWait: '1b3f043947be535d',
  compress: '7d05ba063d232c75',
  transform: '9eafeded6909db1d',
  decodePath: '322aab4c04eab48c',
  encodePath: 'b5073363cd7e4d4e',
  hasCapability: 'b017106f103158f8',
  normalizePath: '7a737785e967ccfe',
}

function digest(value: unknown): string {
  return typeof value === 'function'
    ? createHash('sha256').update(String(value)).digest('hex').slice(0, 16)
    : `no function but ${typeof value}`
}

const methods = [
  'exec',
  'run',
  'untaggedVanished',
  'untaggedFetch',
  'throttleWait',
  'compress',
] as const satisfies (keyof ImapFlowInternals)[]

/**
 * Members of imapflow that are set only during a session. The test checks their use in imapflow's
 * source.
 */
const properties = [
  'preCheck',
  'untaggedHandlers',
  'sectionHandlers',
  'socket',
  'streamer',
  '_inflate',
  'writeSocket',
] as const satisfies Exclude<keyof ImapFlowInternals, (typeof methods)[number]>[]

test('imapflow-internals: installed imapflow, has the verified private members', () => {
  const internals = internalsOf(new ImapFlow({ host: 'localhost', port: 143, logger: false }))
  const functions: Record<string, unknown> = {
    ...Object.fromEntries(methods.map((name) => [name, internals[name]] as const)),
    transform: internals.streamer._transform,
    decodePath,
    encodePath,
    hasCapability,
    normalizePath,
  }
  const problems = [
    ...Object.entries(functions)
      .filter(([name, value]) => digest(value) !== verifiedDigests[name])
      .map(([name, value]) => `${name}: changed, digest ${digest(value)}`),
    ...properties
      .filter((name) => !String(ImapFlow).includes(`this.${name}`))
      .map((name) => `${name}: missing`),
  ]
  // If this test fails, compare each listed imapflow member with its use in libs/backends, then
  // update the digest.
  expect({ imapflow: version, problems }).toEqual({ imapflow: version, problems: [] })
})
