import { expose } from 'comlink';

/** A SharedWorker that answers with what it was given, and nothing more. */
const scope = self as unknown as { onconnect: ((event: MessageEvent) => void) | null };

scope.onconnect = ({ ports: [port] }) => {
  if (port) expose({ echo: (value: unknown) => value }, port);
};
