import type { BlockedAddress, NewBlock } from '../../data/lists/blocklists.ts'
import { readCsv, writeCsv } from './csv.ts'

/** Maximum size in bytes of a CSV file with email addresses for a blocklist. */
export const maxFileBytes = 1_048_576
/**
 * Maximum number of email addresses in a CSV file for a blocklist. Each address is one call and one
 * audit log entry.
 */
export const maxFileAddresses = 5_000
/** Maximum length of an email address, as at the API. */
const maxAddressLength = 320
const maxReasonLength = 1024

/** Email addresses in a CSV file for a blocklist, and its lines without a usable address. */
export interface BlockedFile {
  blocks: readonly NewBlock[]
  /**
   * Texts in the address column of the CSV file that are no email address, cut to the maximum
   * length of an address.
   */
  wrong: readonly string[]
}

const recipientTitles = ['recipient', 'email', 'e-mail', 'address']

/**
 * Reads a CSV file of email addresses. A first line with the title `recipient` or `email` names the
 * columns, also `account` and `reason`. Without this line, the first column has the addresses.
 * Repeated addresses are left out.
 *
 * @param account account of the lines that name no account
 * @throws Error if the file has too many addresses or is no CSV file
 */
export function readBlockedFile(text: string, account: string): BlockedFile {
  const { columns, lines } = columnsOf(readCsv(text))
  if (lines.length > maxFileAddresses) {
    const [count, limit] = [lines.length, maxFileAddresses].map((each) => each.toLocaleString('en'))
    throw new Error(
      `The file has ${count} addresses. Split the file into files of at most ${limit}.`,
    )
  }
  const blocks = new Map<string, NewBlock>()
  const wrong: string[] = []
  for (const row of lines) {
    const block = blockOfRow(row, columns, account)
    const key = keyOf(block)
    if (!isAddress(block.recipient)) wrong.push(block.recipient.slice(0, maxAddressLength))
    else if (!blocks.has(key)) blocks.set(key, block)
  }
  return { blocks: [...blocks.values()], wrong }
}

/**
 * Positions of the columns in a CSV file with email addresses. -1: the file does not have the
 * column.
 */
type Columns = Readonly<Record<keyof NewBlock, number>>

/**
 * Finds the columns of a CSV file by the titles in its first line, and the lines below the titles.
 */
function columnsOf(rows: readonly (readonly string[])[]) {
  const titles = rows[0]?.map((title) => title.toLowerCase()) ?? []
  const recipient = titles.findIndex((title) => recipientTitles.includes(title))
  if (recipient < 0) return { columns: { recipient: 0, account: -1, reason: -1 }, lines: rows }
  const columns = {
    recipient,
    account: titles.indexOf('account'),
    reason: titles.indexOf('reason'),
  }
  return { columns, lines: rows.slice(1) }
}

function blockOfRow(row: readonly string[], columns: Columns, account: string) {
  return {
    account: row[columns.account] || account,
    recipient: row[columns.recipient] ?? '',
    reason: (row[columns.reason] || 'block').slice(0, maxReasonLength),
  }
}

/** True for a text that looks like an email address. The API checks addresses completely. */
function isAddress(text: string): boolean {
  return text.length <= maxAddressLength && /^[^\s@]+@[^\s@]+$/.test(text)
}

/** Text that identifies an entry of a blocklist. */
export function keyOf({ account, recipient }: Pick<NewBlock, 'account' | 'recipient'>): string {
  return `${recipient.toLowerCase()} (${account})`
}

/** CSV file with the addresses of a blocklist. */
export function writeBlockedFile(addresses: readonly BlockedAddress[]): string {
  const rows = addresses.map(({ recipient, account, reason, source, created }) => [
    recipient,
    account,
    reason,
    source,
    created,
  ])
  return writeCsv([['recipient', 'account', 'reason', 'source', 'created'], ...rows])
}
