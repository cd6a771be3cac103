import { Server } from '@hocuspocus/server';

/** Hocuspocus as it is meant to be run: documents in memory. Prints its port. */
const server = new Server({ port: 0, address: '127.0.0.1', quiet: true });
await server.listen();
console.log(server.address.port);
