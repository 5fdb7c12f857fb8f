import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from '@posthorn/local/paths'
import { serviceNames } from '@posthorn/local/role-passwords'
import { parse } from 'yaml'

/** `NODE_OPTIONS` and allocator settings of each service in the containers. */
export function containerOptions(): Record<string, Record<string, string>> {
  const text = readFileSync(join(checkout, 'deploy/compose.yaml'), 'utf8')
  const { services } = parse(text, { merge: true }) as {
    services: Record<string, { environment: Record<string, string> }>
  }
  const image = readFileSync(join(checkout, 'deploy/Dockerfile'), 'utf8')
  const allocator = Object.fromEntries(
    [...image.matchAll(/\b(MALLOC_\w+)=(\d+)/g)].map(([, name = '', value = '']) => [name, value]),
  )
  return Object.fromEntries(
    serviceNames.map((name) => [
      name,
      { NODE_OPTIONS: services[name]?.environment['NODE_OPTIONS'] ?? '', ...allocator },
    ]),
  )
}
