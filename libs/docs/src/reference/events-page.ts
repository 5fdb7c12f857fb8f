import { apiDocument, type ApiOperation, type ApiSchema } from './api-document.ts'
import { codeBlock, markdownPage, markdownTable } from './markdown.ts'
import { memberTable, namedSchemaSection } from './member-table.ts'

const introduction = `Each event is one webhook request to each target that wants the event: \`POST\` with a JSON body.
The same body is the payload of the message on RabbitMQ. Receivers ignore members that they do not know: further
members can be added without a new version of the API.`

/**
 * Documentation page of all events: headers and common members of webhooks, data and example of
 * each event.
 */
export function eventsPage(): string {
  const webhooks = Object.entries(apiDocument.webhooks).map(([name, { post }]) => ({ name, post }))
  const [first] = webhooks
  if (first === undefined) throw new Error('the OpenAPI document has no webhooks')
  const schemas = webhooks.map(({ post }) => dataSchemaOf(post))
  return markdownPage(
    {
      title: 'Events',
      description: 'Events with their webhook bodies: members, headers and an example of each.',
      order: 2,
    },
    [
      introduction,
      webhooks
        .map(({ name, post }) => `- [\`${name}\`](#${name.toLowerCase()}): ${post.summary}`)
        .join('\n'),
      '## Headers of a webhook request',
      markdownTable(
        ['header', 'description'],
        first.post.parameters.map(({ name, description }) => [`\`${name}\``, description]),
      ),
      '## Members of all events',
      memberTable(envelopeOf(first.post)),
      ...webhooks.flatMap(({ name, post }) => eventSection(name, post)),
      ...namedSchemaSection(schemas),
    ],
  )
}

function eventSection(name: string, post: ApiOperation): string[] {
  return [
    `## ${name}`,
    `${post.summary}. ${post.description ?? ''}`,
    `Members of \`data\`:`,
    memberTable(dataSchemaOf(post)),
    codeBlock('json', JSON.stringify(bodyOf(post).example, null, 2)),
  ]
}

function bodyOf({ operationId, requestBody }: ApiOperation) {
  const body = requestBody?.content['application/json']
  if (body === undefined) throw new Error(`the webhook ${operationId} has no JSON body`)
  return body
}

/** Schema of the data of an event, without the member that all events have. */
function dataSchemaOf(post: ApiOperation): ApiSchema {
  return withoutMember(bodyOf(post).schema.properties?.['data'] ?? {}, 'truncated')
}

function withoutMember(schema: ApiSchema, name: string): ApiSchema {
  const { properties, allOf } = schema
  const others = Object.entries(properties ?? {}).filter(([key]) => key !== name)
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(others) }),
    ...(allOf && { allOf: allOf.map((part) => withoutMember(part, name)) }),
  }
}

/** Schema of a webhook body with the members that all events have. */
function envelopeOf(post: ApiOperation): ApiSchema {
  const { schema } = bodyOf(post)
  const { truncated } = schema.properties?.['data']?.properties ?? {}
  return {
    ...schema,
    properties: {
      ...schema.properties,
      event: { type: 'string', description: 'Name of the event.' },
      data: {
        type: 'object',
        description: 'Data of the event.',
        ...(truncated && { properties: { truncated } }),
      },
    },
  }
}
