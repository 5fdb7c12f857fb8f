import {
  assertForm,
  isObjectList,
  malformed,
  type ResponseForm,
} from "../provider-client/response-form.ts";

const form: ResponseForm = {
  lists: {
    attachments: "object",
    bccRecipients: "object",
    categories: "string",
    ccRecipients: "object",
    internetMessageHeaders: "object",
    replyTo: "object",
    responses: "object",
    toRecipients: "object",
  },
  hasNullLists: true,
};

/**
 * Checks the form of a response or of a part of a batch: an object. The entries of a page are in
 * `value`; other members of that name are deeper.
 *
 * @throws MailApiError `unavailable`
 */
export function assertGraphForm(json: unknown): asserts json is object {
  assertForm(json, form);
  if ("value" in json && !isObjectList(json.value)) throw malformed("value is no list");
}
