/** workerd's behaviour is pinned by this date. From 2026-04-01 on, binary messages would arrive as Blobs. */
const COMPATIBILITY_DATE = '2026-03-01';

/** Where clouds tell a machine its own secrets (link-local, and Amazon's in IPv6); no provider or push service is there. */
const UNREACHABLE = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128'];

export type WorkerdConfig = {
  /** Secret of the claim link. */
  claimSecret: string;
  allowedHosts: readonly string[];
  /** The built files: `page/…` and `gsv.mjs`. */
  distDir: string;
  /** Where the Durable Object is stored. */
  storageDir: string;
};

/**
 * The text of workerd's configuration. It lies beside `room.mjs`, which it embeds, and its socket `http` gets
 * its address from the command line.
 */
export function configText({ claimSecret, allowedHosts, distDir, storageDir }: WorkerdConfig): string {
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    ( name = "room", worker = .room ),
    ( name = "files", disk = ( path = ${text(distDir)} ) ),
    ( name = "storage", disk = ( path = ${text(storageDir)}, writable = true ) ),
    ( name = "internet", network = ( allow = ["public", "private"], deny = [${UNREACHABLE.map(text).join(', ')}], tlsOptions = ( trustBrowserCas = true ) ) ),
  ],
  sockets = [ ( name = "http", http = (), service = "room" ) ],
);

const room :Workerd.Worker = (
  modules = [ ( name = "room.mjs", esModule = embed "room.mjs" ) ],
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  compatibilityFlags = ["nodejs_compat"],
  bindings = [
    ( name = "ROOM", durableObjectNamespace = "RoomServer" ),
    ( name = "FILES", service = "files" ),
    ( name = "CLAIM_SECRET", text = ${text(claimSecret)} ),
    ( name = "ALLOWED_HOSTS", text = ${text(allowedHosts.join(','))} ),
  ],
  durableObjectNamespaces = [
    ( className = "RoomServer", uniqueKey = "gsv-room", enableSql = true ),
  ],
  durableObjectStorage = ( localDisk = "storage" ),
  globalOutbound = "internet",
);
`;
}

/** A string of the configuration language: quoted as JSON quotes it, beyond ASCII as it is. */
function text(value: string): string {
  return JSON.stringify(value);
}
