import { buildOpenApi } from '@posthorn/contracts/openapi/build'
import type { ApiDescription } from './api-description.ts'

/** Returns the description of the API by the contracts. */
export function readDescription(): ApiDescription {
  return JSON.parse(JSON.stringify(buildOpenApi('0.0.0'))) as ApiDescription
}
