# The cache in front of the balancer. It keeps each record, in all its forms, until `vitrine purge` says that the record changed
# (docs/run/replicas.md).
vcl 4.1;

backend default {
    .host = "balancer";
    .port = "8080";
}

# The machines on which `vitrine purge` runs.
acl purgers {
    "127.0.0.1";
    "10.0.0.0"/8;
    "172.16.0.0"/12;
    "192.168.0.0"/16;
}

sub vcl_recv {
    # A record and its forms (/object/1, /object/1.ttl) are purged together.
    if (req.url ~ "^[^?]*[^?.](\.[a-z]+)+$") {
        set req.http.X-Suffix = regsub(req.url, "^.*?((\.[a-z]+)+)$", "\1");
    } else {
        unset req.http.X-Suffix;
    }
    if (req.method == "PURGE") {
        if (client.ip !~ purgers) {
            return (synth(405));
        }
        return (purge);
    }
    # Clients may write the IRI in several ways, and a purge would not reach all of them.
    if (req.url ~ "^[^?]*/entity\?") {
        return (pass);
    }
}

sub vcl_hash {
    # What follows a question mark is no suffix.
    hash_data(regsub(req.url, "^([^?]*?[^?.])(\.[a-z]+)+$", "\1"));
    hash_data(req.http.host);
    return (lookup);
}

sub vcl_backend_response {
    if (beresp.http.Vary) {
        set beresp.http.Vary = beresp.http.Vary + ", X-Suffix";
    } else {
        set beresp.http.Vary = "X-Suffix";
    }
    # While no follower answers, expired objects are served for this much longer.
    set beresp.grace = 10m;
    if (beresp.status >= 500) {
        set beresp.uncacheable = true;
        if (bereq.is_bgfetch) {
            return (abandon);
        }
    }
}

sub vcl_deliver {
    set resp.http.Vary = regsub(resp.http.Vary, ",? ?X-Suffix", "");
    set resp.http.X-Cache = "miss";
    if (obj.hits > 0) {
        set resp.http.X-Cache = "hit";
    }
}
