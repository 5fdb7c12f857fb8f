import { join } from 'node:path'
import { checkout } from '@posthorn/local/paths'
import type { ServiceName } from '@posthorn/local/role-passwords'

/**
 * Arguments with which Node runs a service as a process: from the bundle of the test run, or from
 * its sources outside of a test run.
 */
export function serviceProgram(service: ServiceName): string[] {
  const bundle = process.env['TEST_BUNDLE']
  return bundle === undefined
    ? [join(checkout, 'services', service, 'src/main.ts')]
    : [join(bundle, 'posthorn.js'), service]
}
