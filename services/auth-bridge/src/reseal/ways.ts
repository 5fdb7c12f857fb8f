import {
  type HeaderOwner,
  keyIdOf,
  keyIdOfHeader,
  keyIdOfLogin,
  resealHeader,
  type Resealer,
  resealLogin,
} from '@posthorn/secrets'
import type { SealedColumn, SealedRow } from '../store/sealed-values.ts'

/** How what is stored in a column is sealed anew. */
export interface Way {
  /** The key that each of its sealed values hangs on; `clear` for those that are to be sealed, `unreadable` for what is no sealed value at all. */
  keyIdsOf(stored: string): string[]
  /** With what none of the keys opens as it was. */
  reseal(row: SealedRow, resealer: Resealer): Promise<Resealed>
}

interface Resealed {
  stored: string
  /** Values that none of the keys opens. */
  unopened: number
}

export function wayOf({ inPlace }: SealedColumn): Way {
  return inPlace ? { login, headers }[inPlace.what] : whole
}

const whole: Way = {
  keyIdsOf: (sealed) => [keyIdOf(sealed) ?? 'unreadable'],
  reseal: ({ sealed }, resealer) => unlessLost(sealed, () => resealer.reseal(sealed)),
}

const login: Way = {
  keyIdsOf: (address) => [keyIdOfLogin(address)].filter((id) => id !== undefined),
  reseal: ({ sealed }, resealer) => unlessLost(sealed, () => resealLogin(sealed, resealer)),
}

const headers: Way = {
  keyIdsOf: (stored) =>
    parse(stored)
      .map(({ value }) => keyIdOfHeader(value))
      .filter((id) => id !== undefined),
  async reseal({ sealed, owner }, resealer) {
    if (owner === null) throw new Error('headers of nobody')
    const given = parse(sealed)
    const all = await Promise.all(given.map((header) => resealOne(header, owner, resealer)))
    const unopened = all.filter(({ lost }) => lost).length
    const isSame = all.every(({ header }, index) => header.value === given[index]?.value)
    return { stored: isSame ? sealed : JSON.stringify(all.map(({ header }) => header)), unopened }
  },
}

interface Header {
  key: string
  value: string
}

function parse(stored: string): Header[] {
  const found = JSON.parse(stored) as { key: string; value?: string }[] | null
  return (found ?? []).map(({ key, value = '' }) => ({ key, value }))
}

async function resealOne(header: Header, owner: HeaderOwner, resealer: Resealer) {
  try {
    return { header: await resealHeader(header, owner, resealer), lost: false }
  } catch {
    return { header, lost: true }
  }
}

async function unlessLost(stored: string, reseal: () => Promise<string>): Promise<Resealed> {
  try {
    return { stored: await reseal(), unopened: 0 }
  } catch {
    return { stored, unopened: 1 }
  }
}
