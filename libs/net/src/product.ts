import { readFileSync } from 'node:fs'

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** Address of the product. Names below `.example` are reserved (RFC 2606 §2). */
export const productAddress = 'https://posthorn.example/'

/** Value of `User-Agent`: product, version and product address (RFC 9110 §10.1.5). */
export const productAgent = `Posthorn/${version} (+${productAddress})`
