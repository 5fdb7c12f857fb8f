import {
  type ReceivedRequest,
  startWebhookReceiver,
  type WebhookReply,
} from './webhook-receiver.ts'

export interface ChatServerOptions {
  /**
   * API key that requests to the chat endpoint must contain. Without this option, requests with and
   * without any key are accepted.
   */
  key?: string
  /**
   * Request members that the chat endpoint of the test rejects, because real endpoints support
   * different members.
   */
  unsupported?: readonly string[]
}

/** Members of a chat completion request (language model) that the test server reads. */
export interface ChatRequest {
  model: string
  messages: { role: string; content: string }[]
  response_format?: { type: string }
  temperature?: number
  top_p?: number
  max_tokens?: number
  max_completion_tokens?: number
}

export interface ChatServer extends AsyncDisposable {
  /** Base URL of the chat endpoint for clients, including the API version. */
  readonly url: string
  /**
   * Valid chat requests that the language model of the test received, oldest first, including
   * requests that got an error reply.
   */
  readonly requests: ChatRequest[]
  /** Sets the function that returns the language model's reply. Default: an empty summary. */
  setModel(model: (request: ChatRequest) => string): void
  /** Sets the replies to the next chat requests to the language model, one reply per request. */
  script(...replies: WebhookReply[]): void
  /**
   * Sets the reply to all later chat requests. Without an argument, the language model of the test
   * replies again.
   */
  setReply(reply?: WebhookReply): void
}

const members = [
  'model',
  'messages',
  'response_format',
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
]
const roles = ['system', 'developer', 'user', 'assistant']

/**
 * Starts an endpoint compatible with OpenAI's `POST /v1/chat/completions`. Rejects requests that
 * the published description does not permit.
 */
export async function startChatServer(options: ChatServerOptions = {}): Promise<ChatServer> {
  const receiver = await startWebhookReceiver('127.0.0.1')
  const requests: ChatRequest[] = []
  const scripted: WebhookReply[] = []
  let always: WebhookReply | undefined
  let model: (request: ChatRequest) => string = () => '{"summary":"Nothing."}'
  receiver.replyWith((request) => {
    const rejection = rejectionOf(request, { unsupported: [], ...options })
    if (rejection) return rejection
    const chatRequest = request.json() as ChatRequest
    requests.push(chatRequest)
    return (
      scripted.shift() ?? always ?? completion(chatRequest, model(chatRequest), requests.length)
    )
  })
  return {
    url: `${new URL(receiver.url).origin}/v1`,
    requests,
    setModel: (next) => void (model = next),
    script: (...replies) => void scripted.push(...replies),
    setReply: (reply) => void (always = reply),
    [Symbol.asyncDispose]: () => receiver.close(),
  }
}

function completion(request: ChatRequest, content: string, count: number): WebhookReply {
  const prompt_tokens = Math.ceil(JSON.stringify(request.messages).length / 4)
  const completion_tokens = Math.ceil(content.length / 4)
  const total_tokens = prompt_tokens + completion_tokens
  return jsonReply(200, {
    id: `chatcmpl-${count}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model: request.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens, completion_tokens, total_tokens },
  })
}

function rejectionOf(
  request: ReceivedRequest,
  { key, unsupported }: ChatServerOptions & { unsupported: readonly string[] },
): WebhookReply | undefined {
  const { method, path, headers } = request
  if (method !== 'POST' || path !== '/v1/chat/completions')
    return failure(404, 'Unknown request URL')
  if (key !== undefined && headers.authorization !== `Bearer ${key}`)
    return failure(401, 'Incorrect API key provided')
  const body = request.json() as Record<string, unknown>
  const unknown = Object.keys(body).find(
    (name) => !members.includes(name) || unsupported.includes(name),
  )
  if (unknown !== undefined) return failure(400, `Unsupported parameter: '${unknown}'`)
  const { model, messages } = body
  if (typeof model !== 'string' || model === '') return failure(400, 'you must provide a model')
  if (!Array.isArray(messages) || !messages.every(isMessage)) return failure(400, 'bad messages')
  // Rejects a request for JSON output whose messages lack the word JSON, as documented by OpenAI.
  const wantsJson = 'response_format' in body && !JSON.stringify(messages).includes('JSON')
  return wantsJson ? failure(400, "'messages' must contain the word 'json'") : undefined
}

function isMessage(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false
  const { role, content } = message as Record<string, unknown>
  return typeof content === 'string' && roles.includes(String(role))
}

function failure(status: number, message: string): WebhookReply {
  return jsonReply(status, { error: { message, type: 'invalid_request_error', code: null } })
}

function jsonReply(status: number, body: object): WebhookReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
