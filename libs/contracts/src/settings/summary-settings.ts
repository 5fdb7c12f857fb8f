import { flag, int, name, number, text, url } from './setting-schemas.ts'

/** Schemas of the settings of summaries by a language model, by setting name. */
export const summarySettings = {
  generateEmailSummary: flag(
    'If true, `messageNew` of messages in the Inbox contains a summary by a language model. Message texts are sent to the endpoint in `openAiAPIUrl`. Defaults to false.',
  ),
  openAiAPIKey: text(
    'API key for the endpoint in `openAiAPIUrl`, which writes summaries of messages. None by default.',
    1024,
  ),
  openAiAPIUrl: url(
    'Base URL with version of the endpoint that writes summaries with the API of OpenAI. Defaults to `https://api.openai.com/v1`.',
  ),
  openAiModel: name(
    'Name of the language model for summaries of messages. Defaults to `gpt-4o-mini`.',
  ),
  openAiPrompt: text(
    'Instructions to the language model for summaries of messages. The required response format is appended. A built-in text by default.',
    1_048_576,
  ),
  openAiTemperature: number(
    'Sampling temperature of the language model for summaries of messages. Defaults to the value of the endpoint.',
    0,
    2,
  ),
  openAiTopP: number(
    'Nucleus sampling threshold of the language model for summaries of messages. Defaults to the value of the endpoint.',
    0,
    1,
  ),
  openAiMaxTokens: int(
    'Maximum number of tokens in the response of the language model for a summary. Defaults to the value of the endpoint.',
    1,
    10_000_000,
  ),
} as const
