import {
  type ReceivedRequest,
  startWebhookReceiver,
  type WebhookReply,
} from './webhook-receiver.ts'

export interface ChatServerOptions {
  /** The key that requests must carry; without one, any will do and none. */
  key?: string
  /** Members of a request that this endpoint does not take, as endpoints differ. */
  unsupported?: readonly string[]
}

/** A request for a completion, as far as it is looked at. */
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
  /** The base that clients are given, with its version. */
  readonly url: string
  /** Requests of the right form, oldest first, whatever the answer was. */
  readonly requests: ChatRequest[]
  /** What the model says to requests; default: an object that summarises nothing. */
  setModel(what: (request: ChatRequest) => string): void
  /** Answers the next requests with these instead, one a request, good or not. */
  script(...answers: WebhookReply[]): void
  /** All requests from now on, until it is called with nothing. */
  setReply(answer?: WebhookReply): void
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

/** An endpoint of OpenAI's kind, `POST /v1/chat/completions`, as the published description has it: strict in what it takes. */
export async function startChatServer({
  key,
  unsupported: refuses = [],
}: ChatServerOptions = {}): Promise<ChatServer> {
  const receiver = await startWebhookReceiver()
  const asked: ChatRequest[] = []
  const scripted: WebhookReply[] = []
  let always: WebhookReply | undefined
  let model: (request: ChatRequest) => string = () => '{"summary":"Nothing."}'
  receiver.replyWith((request) => {
    const refusal = rejectionOf(request, { key, refuses })
    if (refusal) return refusal
    const question = request.json() as ChatRequest
    asked.push(question)
    return scripted.shift() ?? always ?? completion(question, model(question), asked.length)
  })
  return {
    url: `${new URL(receiver.url).origin}/v1`,
    requests: asked,
    setModel: (what) => void (model = what),
    script: (...answers) => void scripted.push(...answers),
    setReply: (answer) => void (always = answer),
    [Symbol.asyncDispose]: () => receiver.close(),
  }
}

function completion(request: ChatRequest, content: string, count: number): WebhookReply {
  const prompt_tokens = Math.ceil(JSON.stringify(request.messages).length / 4)
  const completion_tokens = Math.ceil(content.length / 4)
  const total_tokens = prompt_tokens + completion_tokens
  return jsonAnswer(200, {
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
  { key, refuses }: { key: string | undefined; refuses: readonly string[] },
): WebhookReply | undefined {
  const { method, path, headers } = request
  if (method !== 'POST' || path !== '/v1/chat/completions')
    return failure(404, 'Unknown request URL')
  if (key !== undefined && headers.authorization !== `Bearer ${key}`)
    return failure(401, 'Incorrect API key provided')
  const body = request.json() as Record<string, unknown>
  const unknown = Object.keys(body).find(
    (name) => !members.includes(name) || refuses.includes(name),
  )
  if (unknown !== undefined) return failure(400, `Unsupported parameter: '${unknown}'`)
  const { model, messages } = body
  if (typeof model !== 'string' || model === '') return failure(400, 'you must provide a model')
  if (!Array.isArray(messages) || !messages.every(isMessage)) return failure(400, 'bad messages')
  // Documented: an endpoint that is to answer JSON wants to read that word.
  const wantsJson = 'response_format' in body && !JSON.stringify(messages).includes('JSON')
  return wantsJson ? failure(400, "'messages' must contain the word 'json'") : undefined
}

function isMessage(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false
  const { role, content } = message as Record<string, unknown>
  return typeof content === 'string' && roles.includes(String(role))
}

function failure(status: number, message: string): WebhookReply {
  return jsonAnswer(status, { error: { message, type: 'invalid_request_error', code: null } })
}

function jsonAnswer(status: number, body: object): WebhookReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
