import type { TObject, TSchema } from 'typebox'
import { neededRights } from '../admin/roles.ts'
import type { Operation } from '../define.ts'
import { defined } from '../defined.ts'
import { allOperations } from '../operations/index.ts'
import { componentSchemas, toOpenApiSchema } from './components.ts'
import { parameterExample } from './examples/parameters.ts'
import { examples } from './examples/requests.ts'
import { errorExamples, responseExamples } from './examples/responses.ts'
import { errorResponses, Problem } from './problem.ts'
import { tagDescriptions } from './tags.ts'
import { describeWebhooks } from './webhooks.ts'

/** Builds the OpenAPI 3.1 document of the REST API from the contracts. */
export function buildOpenApi(version: string): Record<string, unknown> {
  const documented = allOperations.filter(({ hidden }) => hidden !== true)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthorn',
      version,
      license: { name: 'All rights reserved' },
      description:
        'API for the mailboxes of registered accounts: read mailboxes and messages, submit messages, and receive signed webhooks for every event.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { accessToken: [] }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    paths: pathsOf(documented),
    webhooks: describeWebhooks(),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'Access token in the header: `Authorization: Bearer <token>`.',
        },
        accessToken: {
          type: 'apiKey',
          in: 'query',
          name: 'access_token',
          description:
            'Access token in the query. URLs are often logged, so prefer the header `Authorization`.',
        },
      },
      schemas: componentSchemas(),
    },
  }
}

function pathsOf(operations: readonly Operation[]): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method]: describe(operation) }
  }
  return paths
}

function describe(operation: Operation): object {
  const { id, tag, summary, description, permission, params, query, headers, body } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...defined({ description }),
    'x-svc-action': permission.action,
    'x-svc-group': permission.group,
    ...rightsOfPeople(id),
    parameters: [
      ...parameters(id, 'path', params),
      ...parameters(id, 'query', query),
      ...parameters(id, 'header', headers),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: operation.optionalBody !== true,
            content: { 'application/json': { schema: toOpenApiSchema(body), ...examplesOf(id) } },
          },
        }),
    responses: {
      200: success(operation),
      ...(operation.hasRanges && rangeResponses(operation)),
      ...errorResponses(operation, {
        problem: toOpenApiSchema(Problem) as TSchema,
        examples: errorExamples[id],
      }),
    },
  }
}

/** Rights that a person at the administration pages needs for an operation. */
function rightsOfPeople(id: string): object {
  const rights = neededRights(id)
  return defined({
    'x-svc-roles': rights?.roles,
    'x-svc-reads-mail': rights?.mail,
    'x-svc-step-up': rights?.stepUp,
  })
}

function examplesOf(id: string): object {
  const entries = Object.entries(examples[id] ?? {})
  if (entries.length === 0) return {}
  return {
    examples: Object.fromEntries(
      entries.map(([summary, value]) => [summary.replaceAll(/\W+/g, '-'), { summary, value }]),
    ),
  }
}

function success(operation: Operation): object {
  const { id, produces = 'application/json', response, responseDescription } = operation
  const example = id in responseExamples ? { example: responseExamples[id] } : {}
  const content = { [produces]: { schema: toOpenApiSchema(response), ...example } }
  return { description: responseDescription, content }
}

/** Responses of an operation to requests for a range of bytes (RFC 9110 §15.3.7, §15.5.17). */
function rangeResponses({ produces = 'application/json', response }: Operation): object {
  const header = (description: string) => ({ description, schema: { type: 'string' } })
  return {
    206: {
      description: 'Requested range of bytes of the export file.',
      headers: {
        'Content-Range': header(
          'Byte positions of the returned range, and size of the export file, such as `bytes 0-99/1000`.',
        ),
      },
      content: { [produces]: { schema: toOpenApiSchema(response) } },
    },
    416: {
      description:
        'The requested range starts after the end of the export file. The response has no body.',
      headers: {
        'Content-Range': header('Size of the export file, such as `bytes */1000` for 1,000 bytes.'),
      },
    },
  }
}

function parameters(
  id: string,
  location: 'path' | 'query' | 'header',
  schema: TObject | undefined,
): object[] {
  if (schema === undefined) return []
  const required = new Set<string>(schema.required ?? [])
  return Object.entries<TSchema>(schema.properties).map(([name, property]) => {
    const { description, ...described } = toOpenApiSchema(property) as { description?: string }
    const isRequired = location === 'path' || required.has(name)
    return {
      name: location === 'header' ? headerName(name) : name,
      in: location,
      required: isRequired,
      description,
      schema: described,
      ...defined({ example: parameterExample(id, { name, isRequired }) }),
    }
  })
}

/** Converts a header name to its usual spelling, such as `X-SVC-Timeout` for `x-svc-timeout`. */
function headerName(name: string): string {
  const words = name
    .split('-')
    .map((word) => (word === 'svc' ? 'SVC' : word.slice(0, 1).toUpperCase() + word.slice(1)))
  return words.join('-')
}
