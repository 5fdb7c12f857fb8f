import { readFileSync } from 'node:fs'

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** Who calls, as receivers read it. */
export const product = { name: 'Posthorn', version, address: 'https://posthorn.example' } as const

export const userAgent = `${product.name}/${product.version} (+${product.address})`
