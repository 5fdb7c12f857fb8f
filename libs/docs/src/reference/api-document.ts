import { release } from '@posthorn/config/release'
import { type ApiOperation, readApiDocument } from '@posthorn/contracts/openapi/document'

export {
  type ApiOperation,
  type ApiParameter,
  type ApiResponse,
  type ApiSchema,
  nameOfReference,
} from '@posthorn/contracts/openapi/document'

/** API operation with its HTTP method and path. */
export interface LocatedOperation extends ApiOperation {
  method: string
  path: string
}

/** OpenAPI document of the REST API, built from the contracts. */
export const apiDocument = readApiDocument(release.version)

/** All documented API operations, in the order of the OpenAPI document. */
export const apiOperations: readonly LocatedOperation[] = Object.entries(apiDocument.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
)
