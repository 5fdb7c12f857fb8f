import {
  type HeaderOwner,
  keyIdOf,
  keyIdOfHeader,
  keyIdOfLogin,
  resealHeader,
  type Resealer,
  resealLogin,
} from '@posthorn/secrets'
import { bindingOf } from './bindings.ts'
import type { SealedColumn } from '../store/sealed-columns.ts'
import type { SealedRow } from '../store/sealed-values.ts'

/** Method of resealing (encrypting again with the newest key) the values of a table column. */
export interface ResealStrategy {
  /**
   * Returns the key id of each sealed (encrypted) value in a column. The id is `clear` for a value
   * that is not sealed yet, and `unreadable` for an invalid value.
   */
  keyIdsOf(stored: string): string[]
  /**
   * Reseals (encrypts again) the values of a Postgres row. If no key unseals a value, the value
   * stays unchanged.
   */
  reseal(row: SealedRow, resealer: Resealer): Promise<ResealedValue>
}

interface ResealedValue {
  stored: string
  /** Number of sealed (encrypted) values that no key unseals. */
  unreadable: number
}

export function resealStrategyOf({ inPlace }: SealedColumn): ResealStrategy {
  return inPlace ? { login, headers }[inPlace.what] : whole
}

const whole: ResealStrategy = {
  keyIdsOf: (sealed) => [keyIdOf(sealed) ?? 'unreadable'],
  reseal: (row, resealer) =>
    unchangedOnError(row.sealed, () => resealer.reseal(row.sealed, bindingOf(row))),
}

const login: ResealStrategy = {
  keyIdsOf: (address) => [keyIdOfLogin(address)].filter((id) => id !== undefined),
  reseal: ({ sealed }, resealer) => unchangedOnError(sealed, () => resealLogin(sealed, resealer)),
}

const headers: ResealStrategy = {
  keyIdsOf: (stored) =>
    parse(stored)
      .map(({ value }) => keyIdOfHeader(value))
      .filter((id) => id !== undefined),
  async reseal({ sealed, owner }, resealer) {
    if (owner === null) throw new Error('headers without an owner')
    const before = parse(sealed)
    const after = await Promise.all(before.map((header) => resealOne(header, owner, resealer)))
    const unreadable = after.filter((result) => result.unreadable).length
    const isSame = after.every(({ header }, index) => header.value === before[index]?.value)
    const stored = isSame ? sealed : JSON.stringify(after.map(({ header }) => header))
    return { stored, unreadable }
  },
}

interface Header {
  key: string
  value: string
}

function parse(stored: string): Header[] {
  const list = JSON.parse(stored) as { key: string; value?: string }[] | null
  return (list ?? []).map(({ key, value = '' }) => ({ key, value }))
}

async function resealOne(header: Header, owner: HeaderOwner, resealer: Resealer) {
  try {
    return { header: await resealHeader(header, owner, resealer), unreadable: false }
  } catch {
    return { header, unreadable: true }
  }
}

async function unchangedOnError(
  stored: string,
  reseal: () => Promise<string>,
): Promise<ResealedValue> {
  try {
    return { stored: await reseal(), unreadable: 0 }
  } catch {
    return { stored, unreadable: 1 }
  }
}
